import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { at } from '@agents/chart-tools'
import { beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { find, problemsIn, type Render, render } from '../support/chart/render.ts'
import { labelsOf, podOf } from '../support/chart/workload.ts'
import { put } from './mutate.ts'

/**
 * The chart 0.9.1 of the predecessor, from which users come. Its own keys and names are facts that this chart keeps.
 */
const predecessor = join(import.meta.dirname, '..', 'support', 'chart', 'predecessor')
const defaults: Readonly<Record<string, unknown>> = parse(
  readFileSync(join(predecessor, 'values.yaml'), 'utf8'),
)
const production = parse(readFileSync(join(predecessor, 'production-values.yaml'), 'utf8'))
const timeout = 120_000

let rendered: Render

beforeAll(async () => {
  rendered = await render({ ...production, gitTargetController: { enabled: true } })
}, timeout)

describe('an upgrade from the chart of the predecessor', () => {
  test.each([
    { deployment: 'agents', name: 'agents' },
    { deployment: 'agents-controllers', name: 'agents-controllers' },
  ])('keeps the selector of Deployment $deployment', ({ deployment, name }) => {
    const selector = { 'app.kubernetes.io/name': name, 'app.kubernetes.io/instance': 'agents' }
    const found = find(rendered.objects, 'Deployment', deployment)
    expect(at(found, 'spec', 'selector')).toEqual({ matchLabels: selector })
  })

  test('keeps the Services, whose selectors match old and new pods of the control plane alone', () => {
    const { objects } = rendered
    const old = { 'app.kubernetes.io/name': 'agents', 'app.kubernetes.io/instance': 'agents' }
    for (const name of ['agents', 'agents-grpc', 'agents-metrics']) {
      const selector = at(find(objects, 'Service', name), 'spec', 'selector')
      expect(selector).toEqual(old)
    }
    const pods = objects.flatMap((object) => {
      const labels = labelsOf(podOf(object))
      return labels['app.kubernetes.io/name'] === 'agents' ? [object.metadata.name] : []
    })
    expect(pods).toEqual(['agents'])
  })

  test('keeps the ServiceAccount', () => {
    const { objects } = rendered
    expect(find(objects, 'ServiceAccount', 'agents-sa')).toBeDefined()
    const pod = podOf(find(objects, 'Deployment', 'agents'))
    expect(at(pod, 'spec', 'serviceAccountName')).toBe('agents-sa')
  })
})

describe('values of the predecessor', { timeout }, () => {
  test.each(['3', '4'] as const)('production values are rendered by Helm %s', async (helm) => {
    const { errors, objects } = await render(production, { helm })
    expect(errors).toBe('')
    expect(objects.filter(({ kind }) => kind.startsWith('ClusterRole'))).toEqual([])
  })

  test('each default is accepted, or rejected with what to write instead', async () => {
    expect(leavesOf(defaults).length).toBeGreaterThan(200)
    const { errors } = await render(defaults)
    expect(errors).not.toContain("don't meet the specifications")
    expect(problemsIn(errors)).toEqual([
      'controller.jobTtlSeconds is no longer a value: use controller.jobTtlSecondsAfterFinished [V28]',
      expect.stringMatching(/^image is .*the tag latest can change at any time; .*\[V11\]$/),
      expect.stringMatching(/^runner\.image is .*the tag latest .*\[V11\]$/),
    ])
  })

  test('a feature that no longer exists is rejected with advice if it is on, and ignored if it is off', async () => {
    const comms = (enabled: boolean) => ({ agentComms: { enabled, subjects: ['a'] } })
    expect((await render(comms(false))).errors).toBe('')
    expect(problemsIn((await render(comms(true))).errors)).toEqual([
      'agentComms is no longer a value: remove it; no process reads it [V28]',
    ])
  })

  test('keys that are set to something else are rejected with advice, never by the schema', async () => {
    const values = {}
    const asked = ['argocdHooks.syncWaves.postSync', 'workflowRuntime.native.rerunOrchestration']
    for (const path of asked) put(values, path.split('.'), '5')
    put(values, ['argocdHooks', 'enabled'], true)
    put(values, ['argocdHooks', 'smoke', 'labelSelector'], 'a=b')
    const { errors } = await render(values)
    expect(errors).not.toContain("don't meet the specifications")
    const removed = problemsIn(errors).filter((problem) => problem.endsWith('[V28]'))
    expect(removed.map((problem) => problem.split(' ', 1)[0])).toEqual([
      'argocdHooks.smoke.labelSelector',
      'argocdHooks.syncWaves',
      'workflowRuntime',
    ])
  })

  test('a VersionControlProvider is rendered from the keys of its spec', () => {
    expect(find(rendered.objects, 'VersionControlProvider', 'github').spec).toEqual({
      provider: 'github',
      apiBaseUrl: 'https://api.github.com',
      cloneBaseUrl: 'https://github.com',
      webBaseUrl: 'https://github.com',
      auth: { method: 'token', token: { secretRef: { name: 'github-token', key: 'token' } } },
      repositoryPolicy: { allow: ['platform/example'] },
      capabilities: { read: true, write: true, pullRequests: true },
      defaults: {
        baseBranch: 'main',
        branchTemplate: 'codex/{{issueNumber}}',
        commitAuthorName: 'codex',
        commitAuthorEmail: 'codex@example.com',
        pullRequest: {
          enabled: true,
          draft: false,
          titleTemplate: 'Codex: {{repository}}',
          bodyTemplate: 'Closes #{{issueNumber}}',
        },
      },
    })
  })

  test('spec overrides the keys beside it', async () => {
    const { objects } = await render({
      versionControlProvider: {
        enabled: true,
        apiBaseUrl: 'https://old.example.com',
        webBaseUrl: 'https://old.example.com',
        spec: { provider: 'gitlab', apiBaseUrl: 'https://new.example.com' },
      },
    })
    expect(find(objects, 'VersionControlProvider', 'github').spec).toEqual({
      provider: 'gitlab',
      apiBaseUrl: 'https://new.example.com',
      webBaseUrl: 'https://old.example.com',
    })
  })
})

function leavesOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [value]
  const children = Object.values(value)
  return children.length === 0 ? [value] : children.flatMap(leavesOf)
}
