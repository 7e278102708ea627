#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { stopSignals } from '@agents/controller'
import { systemEffects } from '@agents/kube'
import { runOperator } from '../process/run-operator.ts'

// A mirror holds much and does little; without this, garbage may grow as large as all that is held.
setFlagsFromString('--memory-saver-mode')

const { signal, dispose } = stopSignals(process, (code) => process.exit(code))
process.exitCode = await runOperator({
  ...systemEffects(process.env),
  output: process.stdout,
  errors: process.stderr,
  identity: `${hostname()}_${randomUUID()}`,
  stop: signal,
})
dispose()
