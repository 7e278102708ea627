#!/usr/bin/env node
import { runAsProcess } from '../runner/publisher/run-as-process.ts'
import { runPublish } from '../runner/publisher/run-publish.ts'

process.exitCode = await runAsProcess(process, runPublish)
