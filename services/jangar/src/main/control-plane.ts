#!/usr/bin/env node
import { runMain } from '@agents/process'
import { runControlPlane } from '../server/process/run-control-plane.ts'

await runMain(process, runControlPlane)
