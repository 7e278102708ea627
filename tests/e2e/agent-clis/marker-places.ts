import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { agent, agentRun } from '@agents/jangar-api'
import { ConfigMapKind, EventKind, JobKind, kindRef, PodKind } from '@agents/kube'
import type { ClisPlatform } from './clis-platform.ts'

/** Where a text shows: objects of the namespace, the repository, files of the node. */
export async function placesOf(
  { platform: { client, stateDir }, git }: ClisPlatform,
  text: string,
  namespace: string,
): Promise<string[]> {
  const kinds = [kindRef(agentRun), kindRef(agent), JobKind, PodKind, ConfigMapKind, EventKind]
  const shown: string[] = []
  for (const kind of kinds) {
    const { items } = await client.list(kind, { namespace })
    if (JSON.stringify(items).includes(text)) shown.push(kind.kind)
  }
  if ((await git('log', '-p', '--all')).includes(text)) shown.push('repository')
  const found = await promisify(execFile)('grep', ['-rlF', '--', text, stateDir]).catch(
    (error: { stdout: string }) => error,
  )
  return [...shown, ...found.stdout.split('\n').filter((line) => line !== '')]
}
