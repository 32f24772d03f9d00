// Whose work is inside of the published files, and on which terms.
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const intro = `# Third-party notices

Code of these packages is part of files in \`bundled/\` and \`plugins/dashboard/assets/\`. What npm installs beside this package brings its own terms.
`

/** The page for packages in these folders. Throws where one has no licence that can be named. */
export function noticesOf(folders: readonly string[]): string {
  return [intro, ...folders.map(notice)].join('\n')
}

function notice(folder: string): string {
  const { name, version, license, author, homepage } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  if (typeof license !== 'string') throw new Error(`${name} names no licence`)
  const [file] = globSync('{licen[cs]e,copying}*', { cwd: folder }).concat(
    globSync('{LICEN[CS]E,COPYING}*', { cwd: folder })
  )
  const whose = typeof author === 'string' ? author : author?.name
  const text =
    file === undefined
      ? `${license}${whose ? `, ${whose}` : ''}${homepage ? `, ${homepage}` : ''}`
      : readFileSync(join(folder, file), 'utf8')
  return `## ${name} ${version} (${license})\n\n\`\`\`\n${text.trim()}\n\`\`\`\n`
}
