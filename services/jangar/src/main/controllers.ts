#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8'
import { runMain } from '@agents/process'
import { runControllers } from '../server/process/run-controllers.ts'

// V8 would let garbage grow to the size of the live heap, and collect rarely in an idle process; a controller holds
// much and does little. The flag is set here and not on the command line, so that it applies however the process is
// started.
setFlagsFromString('--memory-saver-mode')

await runMain(process, runControllers)
