// Preloaded in every thread: watches the thread's heap.
import { watchHeap } from './heap.ts'

watchHeap('thread')
