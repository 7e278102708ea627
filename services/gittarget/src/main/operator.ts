#!/usr/bin/env node
import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { stopSignals } from '@agents/controller'
import { systemEffects } from '@agents/kube'
import { runOperator } from '../process/run-operator.ts'

const { signal, dispose } = stopSignals(process, (code) => process.exit(code))
process.exitCode = await runOperator({
  ...systemEffects(process.env),
  output: process.stdout,
  errors: process.stderr,
  identity: `${hostname()}_${randomUUID()}`,
  stop: signal,
})
dispose()
