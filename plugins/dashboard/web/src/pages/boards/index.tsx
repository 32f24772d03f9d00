// Dashboards that are saved: the list of them, or one.
import { parameters } from '../../router.ts'
import { BoardView } from './board.tsx'
import { BoardList } from './list.tsx'
import './boards.css'

export default function Boards() {
  const id = parameters.value.get('board')
  return id === null ? <BoardList /> : <BoardView id={id} key={id} />
}
