import type { AgentRun } from '@agents/jangar-api'
import type { KubeObject } from '@agents/kube'
import { resolveWork } from '../resolve-work.ts'
import { keys, objectOf, portsWith, runOf } from './resolution-fixture.ts'

export type Loose = Record<string, unknown>

export const token = { auth: { token: { secretRef: { name: 't' } } } }

export function vcp(spec: Loose = {}, rest: Loose = {}) {
  return objectOf('VersionControlProvider', 'hub', { provider: 'github', ...token, ...spec }, rest)
}

export const secrets = [
  keys('Secret', 't', 'token'),
  keys('Secret', 'app', 'privateKey'),
  keys('Secret', 'ssh', 'id'),
]

export function onHub(spec: Loose = {}, rest: Loose = {}) {
  return runOf({ vcsRef: { name: 'hub' }, parameters: { repository: 'Org/name' }, ...spec }, rest)
}

export function required(mode?: string) {
  return {
    vcsPolicy: { required: true, ...(mode && { mode }) },
  }
}

export const app = {
  auth: { app: { appId: 1, installationId: '2', privateKeySecretRef: { name: 'app' } } },
}

export function resolve(
  run: AgentRun,
  there: readonly KubeObject[],
  env: Record<string, string> = {},
) {
  return resolveWork(run, undefined, portsWith([...secrets, ...there, run], env))
}

export function vcsOf(
  run: AgentRun,
  there: readonly KubeObject[],
  env: Record<string, string> = {},
) {
  const resolution = resolve(run, there, env)
  if (resolution.kind !== 'resolved') throw new Error(resolution.message)
  return resolution.work
}
