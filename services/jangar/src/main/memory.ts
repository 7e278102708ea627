#!/usr/bin/env node
import { runMemory } from '../runner/memory/run-memory.ts'

process.exitCode = await runMemory(process.env, process.stderr)
