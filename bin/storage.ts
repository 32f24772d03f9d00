// weir storage: checks and repairs the data folder of a stopped server, and copies it to another engine.
import { loadConfig } from '../core/config/load.ts'
import { type DataFolder, type Examination, examine, type Finding } from '../core/storage/embedded/repair/check.ts'
import { planRepair } from '../core/storage/embedded/repair/repair.ts'
import { type Command, type Commands, dispatch, parseFlags, print } from './command.ts'

const folderOptions = `  -c, --config FILE  TOML file that names the data folder and the log's
  --data-home DIR    The data folder; wins over [storage] data_home
  -h, --help         Show this text`

const check: Command = {
  usage: `Reads a whole data folder: the catalog, every data file with its checksum, every record of the log. No server may run on it.

Usage: weir storage check [--config FILE | --data-home DIR]

Options:
${folderOptions}

One line per finding with file and byte. "damage" loses rows or stops the start; "leftover" is what a crash left: the next start removes
it, and moves complete data files to lost+found.
Exit code 0: sound; 1: damaged, or the folder is in use.`,
  async run(args) {
    const folder = folderOf(
      parseFlags(args, { config: { type: 'string', short: 'c' }, 'data-home': { type: 'string' } }).values
    )
    const examination = await examine(folder, finding => print(lineOf(finding)))
    examination.close()
    conclude(examination)
  }
}

const repair: Command = {
  usage: `Plans the repair of a damaged data folder, and carries it out with --yes. No server may run on the folder.

Usage: weir storage repair [--yes] [--config FILE | --data-home DIR]

Options:
  --yes              Do it; otherwise nothing is changed
${folderOptions}

Replaced files, including copies of the catalog, are moved to lost+found/TIME in the data folder; moving them all back undoes the repair.
The content of damaged files is lost until it is restored from a backup. Exit code 0: sound, or sound again; 1: damaged.`,
  async run(args) {
    const options = {
      yes: { type: 'boolean' },
      config: { type: 'string', short: 'c' },
      'data-home': { type: 'string' }
    } as const
    const { yes = false, ...flags } = parseFlags(args, options).values
    const folder = folderOf(flags)
    const examination = await examine(folder, finding => print(lineOf(finding)))
    try {
      const repaired = await repairFolder(folder, examination, yes)
      if (!repaired) return conclude(examination)
    } finally {
      examination.close()
    }
    const again = await examine(folder, finding => print(lineOf(finding)))
    again.close()
    conclude(again)
  }
}

const commands: Commands = {
  check: async () => check,
  repair: async () => repair,
  copy: async () => (await import('./storage-copy.ts')).copy
}

const usage = `Examines, repairs and copies data folders.

Usage: weir storage COMMAND

Commands:
  check [--config FILE | --data-home DIR]           Read everything and say what is damaged
  repair [--yes] [--config FILE | --data-home DIR]  Move damaged files away, keep everything else
  copy --from PLACE --to PLACE [--config FILE]      Copy everything to a ClickHouse cluster, or from it to a folder`

export const storage: Command = {
  usage,
  commands,
  run: args => dispatch(commands, args, usage)
}

/** True if the steps were run. */
async function repairFolder(folder: DataFolder, examination: Examination, yes: boolean): Promise<boolean> {
  if (!examination.findings.some(finding => finding.kind === 'damage')) return false
  const plan = await planRepair(folder, examination)
  try {
    print(yes ? `\nRepair, what is replaced goes to ${plan.lostFolder}:` : '\nWhat a repair would do:')
    for (const { lines, run } of plan.steps) {
      for (const line of lines) print(`  ${line}`)
      if (yes) await run()
    }
    print(yes ? '' : '\nNothing was changed. weir storage repair --yes does it.')
    return yes
  } finally {
    await plan.close()
  }
}

function folderOf(flags: {
  readonly config?: string | undefined
  readonly 'data-home'?: string | undefined
}): DataFolder {
  const { config: file, 'data-home': data_home } = flags
  const overrides = { storage: { data_home } }
  const { config } = loadConfig({ file, env: process.env, overrides, overridesFrom: 'command line' })
  return { home: config.storage.data_home, wal: config.wal.dir }
}

function lineOf({ kind, file, offset, message }: Finding): string {
  return `${kind}: ${file}${offset === undefined ? '' : ` at byte ${offset}`}: ${message}`
}

/** Prints the summary and sets the exit code. */
function conclude({ findings, files, log }: Examination): void {
  const rows = files.reduce((sum, file) => sum + file.rows, 0)
  const records = log.segments.reduce((sum, segment) => sum + segment.records.length, 0)
  const seen = `${files.length} data files with ${rows} rows, ${log.segments.length} log segments with ${records} records`
  const damages = findings.filter(finding => finding.kind === 'damage').length
  print(`${seen}: ${damages === 0 ? 'sound' : `${damages} damages`}`)
  if (damages > 0) process.exitCode = 1
}
