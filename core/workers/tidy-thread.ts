// Loaded first in every thread: its heap is looked after as that of the server is.
import { watchHeap } from './heap.ts'

watchHeap('thread')
