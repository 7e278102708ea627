import type { ArtifactStore } from '@agents/artifact-store'
import { type Artifact, agentRun } from '@agents/jangar-api'
import { expect, test } from 'vitest'
import type { Caller } from '../api/access/caller.ts'
import type { CallerClient } from '../api/caller-client.ts'
import type { AnyRun } from '../api/run-summary.ts'
import { keptLog } from './kept-log.ts'

const { apiVersion, kind } = agentRun
const run = { apiVersion, kind, metadata: { namespace: 'team', name: 'r', uid: 'u' } } as AnyRun

function logOf(name: string, digit: string, forged: object = {}): Artifact {
  return {
    metadata: {
      ...{ name, namespace: 'team', creationTimestamp: `2026-01-01T00:00:0${digit}Z` },
      ownerReferences: [{ apiVersion, kind, name: 'r', uid: 'u', controller: true, ...forged }],
    },
    spec: { source: { type: 'Log', checksum: `sha256:${digit.repeat(64)}` } },
  } as unknown as Artifact
}

async function textOf(...artifacts: readonly Artifact[]): Promise<string | undefined> {
  const callerClient = {
    list: async () => ({ metadata: {}, items: artifacts }),
    get: async (_caller: Caller, _kind: unknown, { name }: { name: string }) =>
      artifacts.find(({ metadata }) => metadata.name === name),
  } as unknown as CallerClient
  const store = {
    get: async ({ digest }: { digest: string }) => ({ body: [Buffer.from(digest.slice(0, 1))] }),
  } as unknown as ArtifactStore
  const question = { pod: undefined, tailLines: undefined }
  const { signal } = new AbortController()
  const log = await keptLog({ store, callerClient }, {} as Caller, run, question, signal)
  if (log === undefined) return undefined
  let text = ''
  for await (const piece of log) text += Buffer.from(piece).toString('utf8')
  return text
}

test.each([
  { because: 'a kind of another group', forged: { apiVersion: 'example.com/v1' } },
  { because: 'another kind', forged: { kind: 'ToolRun' } },
  { because: 'another name', forged: { name: 'other' } },
  { because: 'a further owner', forged: { controller: false } },
])('a newer Artifact that names the run as $because is not its log', async ({ forged }) => {
  expect(await textOf(logOf('genuine', '1'), logOf('forged', '2', forged))).toBe('1')
  expect(await textOf(logOf('forged', '2', forged))).toBeUndefined()
})

test('the newest Artifact that the run controls is its log', async () => {
  expect(await textOf(logOf('second', '2'), logOf('first', '1'))).toBe('2')
})
