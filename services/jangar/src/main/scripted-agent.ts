#!/usr/bin/env node
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseRunSpec } from '../runner/contract/run-spec.ts'
import { createSecretMask } from '../runner/process/secret-mask.ts'
import { createStop } from '../runner/process/stop.ts'
import { createGit } from '../runner/vcs/git.ts'
import { openDemoRepository } from '../scripted-agent/demo-repository.ts'
import { perform } from '../scripted-agent/perform.ts'
import { parseScript, USAGE } from '../scripted-agent/script.ts'

const EXIT_USAGE = 64

async function main(): Promise<number> {
  if (process.argv.includes('--help')) {
    process.stdout.write(USAGE)
    return 0
  }
  const run = await readRun()
  const script = parseScript(process.argv.slice(2), run?.parameters ?? {})
  if (!script.ok) {
    process.stderr.write(`${script.problems.join('\n')}\n\n${USAGE}`)
    return EXIT_USAGE
  }
  if (script.value.mode === 'stubborn') {
    process.on('SIGTERM', () => process.stdout.write('not now\n'))
  }
  const text = run?.implementation.text ?? 'Say that you were here.'
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
    say: (words) => new Promise((resolve) => process.stdout.write(words, () => resolve())),
    sleep: (ms) => sleep(ms),
    // A pending promise alone would let the process end.
    forever: () => new Promise(() => setInterval(() => undefined, 60_000)),
  })
}

/** Without a run it still has something to say. */
async function readRun() {
  const path = process.env.AGENT_RUN_SPEC
  if (path === undefined || path === '') return undefined
  const document = await readFile(path, 'utf8').catch(() => '')
  const parsed = parseRunSpec(document)
  if (parsed.ok) return parsed.value
  process.stderr.write(`there is no run to be read at ${path}\n`)
  return undefined
}

process.exitCode = await main()
