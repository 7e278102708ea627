import type { Fields } from './client.ts'
import type { Row } from './suite.ts'

export const containers = [{ name: 'a', image: 'a' }]
export const labels = { app: 'a' }
export const template: Fields = { metadata: { labels }, spec: { containers } }
export const workload: Fields = { replicas: 0, selector: { matchLabels: labels }, template }
export const once: Fields = { spec: { restartPolicy: 'Never', containers } }
export const job: Fields = { suspend: true, template: once }

/** Paths of the built-in kinds in a namespace, and rows that create one of them in a dry run. */
export function builtinsIn(namespace: string) {
  const core = (plural: string) => `/api/v1/namespaces/${namespace}/${plural}`
  const of = (group: string, plural: string) => `/apis/${group}/namespaces/${namespace}/${plural}`
  const make = (what: string, code: number, path: string, rest: Fields): Row => [
    what,
    code,
    'POST',
    dry(path),
    named('x', rest),
  ]
  return {
    core,
    of,
    make,
    pods: core('pods'),
    jobs: of('batch/v1', 'jobs'),
    deployments: of('apps/v1', 'deployments'),
  }
}

export const rbac = 'rbac.authorization.k8s.io/v1'

export function named(name: string, rest: Fields = {}): Fields {
  return { metadata: { name }, ...rest }
}

export function dry(path: string) {
  return `${path}?dryRun=All`
}
