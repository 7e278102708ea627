#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { runMain } from '@agents/process'
import { runOperator } from '../process/run-operator.ts'

// A mirror has a large heap and little activity; without this flag, garbage may grow to the size of the live heap.
setFlagsFromString('--memory-saver-mode')

await runMain(process, runOperator)
