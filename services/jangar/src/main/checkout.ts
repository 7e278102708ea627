#!/usr/bin/env node
import { runDocuments } from '../runner/documents/run-documents.ts'
import { runAsProcess } from '../runner/publisher/run-as-process.ts'
import { runCheckout, runWorkTree } from '../runner/publisher/run-checkout.ts'
import { runSkills } from '../runner/skills/run-skills.ts'

const programs = new Map([
  ['documents', runDocuments],
  ['work-tree', runWorkTree],
  ['skills', runSkills],
])
process.exitCode = await runAsProcess(process, programs.get(process.argv[2] ?? '') ?? runCheckout)
