#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { stopSignals } from '@agents/controller'
import { systemEffects } from '@agents/kube'
import { runControllers } from '../server/process/run-controllers.ts'

// V8 would let garbage grow as large as all that is held, and seldom clear up where little happens; a controller holds
// much and does little. Said here and not on the command line, so that it holds however the process is started.
setFlagsFromString('--memory-saver-mode')

const { signal, dispose } = stopSignals(process, (code) => process.exit(code))
process.exitCode = await runControllers({
  ...systemEffects(process.env),
  output: process.stdout,
  errors: process.stderr,
  identity: `${hostname()}_${randomUUID()}`,
  stop: signal,
})
dispose()
