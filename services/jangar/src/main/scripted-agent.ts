#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseRunSpec } from '../run-contract/run-spec.ts'
import { createSecretMask } from '../run-contract/secrets/secret-mask.ts'
import { createStop } from '../runner/process/stop.ts'
import { createGit } from '../runner/vcs/git.ts'
import { openDemoRepository } from '../scripted-agent/demo-repository.ts'
import { perform } from '../scripted-agent/perform.ts'
import { parseScript, usageText } from '../scripted-agent/script.ts'

const usageExitCode = 64

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    process.stdout.write(usageText)
    return 0
  }
  const run = await readRun()
  const script = parseScript(process.argv.slice(2), run?.parameters ?? {})
  if (!script.ok) {
    process.stderr.write(`${script.problems.join('\n')}\n\n${usageText}`)
    return usageExitCode
  }
  if (script.value.mode === 'stubborn') {
    process.on('SIGTERM', () => process.stdout.write('not now\n'))
  }
  const text = run?.implementation.text ?? 'Leave a note in the repository.'
  const gitIn = (folder: string) =>
    createGit({
      folder,
      env: process.env,
      credentials: { kind: 'none' },
      mask: createSecretMask([]),
      stop: createStop(),
      timeoutMs: 0,
    })
  return perform(script.value, {
    task: {
      runName: run?.agentRun.name ?? 'nobody',
      summary: run?.implementation.summary ?? text.split('\n')[0] ?? '',
      text,
    },
    repository: () => openDemoRepository({ folder: process.cwd(), env: process.env, gitIn }),
    reportPath: process.env.AGENT_REPORT_PATH,
    print: (words) => new Promise((resolve) => process.stdout.write(words, () => resolve())),
    sleep: (ms) => sleep(ms),
    // A pending promise alone would let the process end.
    forever: () => new Promise(() => setInterval(() => undefined, 60_000)),
  })
}

/** Undefined if no run is given: the agent then uses a default task. */
async function readRun() {
  const path = process.env.AGENT_RUN_SPEC
  if (path === undefined || path === '') return undefined
  const document = await readFile(path, 'utf8').catch(() => '')
  const parsed = parseRunSpec(document)
  if (parsed.ok) return parsed.value
  process.stderr.write(`cannot read a run from ${path}\n`)
  return undefined
}

process.exitCode = await main()
