import type { ArtifactStore } from '@agents/artifact-store'
import { type Artifact, artifact } from '@agents/jangar-api'
import { isControlledBy, kindRef } from '@agents/kube'
import type { Caller } from '../api/access/caller.ts'
import type { CallerClient } from '../api/caller-client.ts'
import type { AnyRun } from '../api/run-summary.ts'
import { addressOf } from './artifact-content.ts'
import { runSelector } from './artifact-of-upload.ts'

interface KeptLogPorts {
  readonly store: ArtifactStore
  readonly callerClient: CallerClient
}

interface LogQuestion {
  readonly pod: string | undefined
  readonly tailLines: number | undefined
}

const artifactKind = kindRef<Artifact>(artifact)

/**
 * The output of a pod of a run that was uploaded before the pod was deleted, the newest unless a pod is named.
 * Undefined if none is kept. The caller needs the rights to list Artifacts and to get this one.
 */
export async function keptLog(
  { store, callerClient }: KeptLogPorts,
  caller: Caller,
  run: AnyRun,
  { pod, tailLines }: LogQuestion,
  signal: AbortSignal,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const { namespace = '', name } = run.metadata
  const query = { labelSelector: runSelector({ kind: run.kind, name }), limit: 500 }
  const { items } = await callerClient.list(caller, artifactKind, namespace, query, signal)
  const newest = items
    // The API server leaves Artifacts that a run controls to the platform; others may own any.
    .filter((each) => isControlledBy(each, run) && each.spec?.source?.type === 'Log')
    .filter(({ spec }) => pod === undefined || spec?.source?.pod === pod)
    .toSorted((a, b) => age(a).localeCompare(age(b)))
    .at(-1)
  if (newest === undefined) return undefined
  const found = await callerClient.get(caller, artifactKind, newest.metadata, signal)
  const address = addressOf(found)
  const content = address && (await store.get(address))
  if (address === undefined || content === undefined) return undefined
  if (tailLines === undefined) return content.body
  // Read twice, since lines may be of any length and memory is not.
  const lines = await countLines(content.body)
  const again = await store.get(address)
  return again && withoutLines(again.body, lines - tailLines)
}

function age({ metadata }: Artifact): string {
  return `${metadata.creationTimestamp ?? ''} ${metadata.name}`
}

const newline = 10

/** The last line counts even if nothing ends it. */
async function countLines(body: AsyncIterable<Uint8Array>): Promise<number> {
  let count = 0
  let last = newline
  for await (const piece of body) {
    for (const byte of piece) if (byte === newline) count += 1
    last = piece.at(-1) ?? last
  }
  return last === newline ? count : count + 1
}

async function* withoutLines(
  body: AsyncIterable<Uint8Array>,
  lines: number,
): AsyncGenerator<Uint8Array> {
  let left = lines
  for await (const piece of body) {
    let start = 0
    while (left > 0) {
      const end = piece.indexOf(newline, start)
      if (end < 0) break
      start = end + 1
      left -= 1
    }
    if (left <= 0 && start < piece.length) yield piece.subarray(start)
  }
}
