import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { setTimeout as delay } from 'node:timers/promises'
import { PodKind } from '@agents/kube'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type ModelRequest,
  type ModelServer,
  startModelServer,
} from '../../support/model-server/model-server.ts'
import type { AgentCli } from '../../support/testbed/agent-clis.ts'
import { type ClisPlatform, startClisPlatform } from './clis-platform.ts'
import { watchPodMemory } from './pod-memory.ts'
import { subjects } from './subjects.ts'

const usage = { inputTokens: 1000, cachedInputTokens: 400, outputTokens: 50 }
const unlimited = Object.fromEntries(
  ['NAMESPACE', 'AGENT', 'CLUSTER'].map((scope) => [
    `JANGAR_AGENTS_CONTROLLER_CONCURRENCY_${scope}`,
    '0',
  ]),
)

/** Starts runs of a real CLI that all work at the same time: the model answers none before all have asked. */
export function testParallelRuns(cli: AgentCli, count: number): void {
  const names = Array.from({ length: count }, (_, at) => `run-${String(at).padStart(3, '0')}`)
  const subject = subjects.find((one) => one.cli === cli)
  if (subject === undefined) throw new Error(`no subject ${cli}`)
  let clis: ClisPlatform
  let model: ModelServer

  beforeAll(async () => {
    model = await startModelServer()
    clis = await startClisPlatform([cli], env, unlimited)
  })
  afterAll(async () => {
    await clis?.stop()
    await model?.close()
  })

  test(`${count} runs of ${cli} at the same time do their own work each`, async () => {
    const namespace = await clis.install(subject, model.url, 'sk-marker-0123456789abcdefghij')
    const turns = new Map<string, number>()
    model.play(async (request) => {
      const name = nameIn(request)
      if (name === undefined || !subject.isTurn(request)) return { text: 'A title', usage }
      const turn = (turns.get(name) ?? 0) + 1
      turns.set(name, turn)
      while (turns.size < count) await delay(100)
      if (turn > 1) return { text: `MARK-DONE-${name}`, usage }
      return { text: `MARK-BEGUN-${name}`, ...subject.write('own.txt', name), usage }
    })
    const memory = watchPodMemory()
    const began = performance.now()
    await Promise.all(names.map((name) => clis.createRun(namespace, name, taskOf(name))))
    const runs = await Promise.all(names.map((name) => clis.finished(namespace, name, 1_800_000)))
    const seconds = (performance.now() - began) / 1000
    const most = memory.stop()
    const { items } = await clis.platform.client.list(PodKind, { namespace })
    report(
      cli,
      seconds,
      items.flatMap(({ metadata }) => most.get(metadata.uid ?? '') ?? []),
    )
    for (const [at, { status }] of runs.entries()) {
      const name = names[at] ?? ''
      expect(status, name).toMatchObject({
        phase: 'Succeeded',
        summary: `MARK-DONE-${name}`,
        usage: { inputTokens: 2000, cachedInputTokens: 800, outputTokens: 100 },
        vcs: { pushed: true, filesChanged: 1 },
      })
      expect(await clis.git('show', `agents/${namespace}-${name}:own.txt`)).toBe(`${name}\n`)
      const output = await outputOf(clis, namespace, name)
      expect(output, name).toContain(`MARK-DONE-${name}`)
      expect(new Set(output.match(/run-\d{3}/g)), name).toEqual(new Set([name]))
    }
  })
}

function taskOf(name: string) {
  return { implementation: { inline: { text: `MARK-TASK-${name}: write your name.` } } }
}

function nameIn({ text }: ModelRequest): string | undefined {
  return /MARK-TASK-(run-\d{3})/.exec(text)?.[1]
}

/** The log of the agent's container, as the node has written it. */
async function outputOf({ platform }: ClisPlatform, namespace: string, run: string) {
  const labelSelector = `agents.proompteng.ai/agent-run=${run}`
  const { items } = await platform.client.list(PodKind, { namespace, labelSelector })
  return items
    .map(({ metadata }) => join(platform.stateDir, 'pods', metadata.uid ?? '', 'containers'))
    .flatMap((folder) =>
      globSync('agent-runner/*/log.*', { cwd: folder }).map((log) => join(folder, log)),
    )
    .map((log) => readFileSync(log, 'utf8'))
    .join('')
}

function report(cli: AgentCli, seconds: number, mebibytes: readonly number[]): void {
  const sorted = mebibytes.toSorted((a, b) => a - b)
  const at = (share: number) => Math.round(sorted[Math.floor((sorted.length - 1) * share)] ?? 0)
  const line = `${cli}: ${sorted.length} runs in ${Math.round(seconds)} s; memory of a run in MiB: least ${at(0)}, median ${at(0.5)}, most ${at(1)}`
  process.stderr.write(`${line}\n`)
}
