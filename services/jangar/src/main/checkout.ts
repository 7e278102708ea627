#!/usr/bin/env node
import { runAsProcess } from '../runner/publisher/run-as-process.ts'
import { runCheckout, runWorkTree } from '../runner/publisher/run-checkout.ts'
import { runSkills } from '../runner/skills/run-skills.ts'

const programs = new Map([
  ['work-tree', runWorkTree],
  ['skills', runSkills],
])
process.exitCode = await runAsProcess(process, programs.get(process.argv[2] ?? '') ?? runCheckout)
