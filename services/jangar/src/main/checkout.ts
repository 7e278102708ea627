#!/usr/bin/env node
import { runAsProcess } from '../runner/publisher/run-as-process.ts'
import { runCheckout, runWorkTree } from '../runner/publisher/run-checkout.ts'

const run = process.argv[2] === 'work-tree' ? runWorkTree : runCheckout
process.exitCode = await runAsProcess(process, run)
