import { agent, agentRun } from '@agents/jangar-api'
import type { ServedResource } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { ComponentStatus } from '../generated/proompteng/jangar/v1/agentctl_pb.ts'
import { type ControllerFacts, controllerStatus } from './controller-status.ts'
import { namespaceStatus } from './namespace-status.ts'
import { runtimeAdapters } from './runtime-adapters.ts'

const { HEALTHY, DEGRADED, DISABLED, UNKNOWN } = ComponentStatus

const served: ServedResource[] = [agent, agentRun].map(({ group, version, plural, kind }) => ({
  ...{ group, version, kind, resource: plural, namespaced: true },
  ...{ verbs: [], shortNames: [], categories: [], subresources: [] },
}))

const facts: ControllerFacts = {
  name: 'agents-controller',
  kinds: [agent, agentRun],
  isOwn: false,
  leadership: { kind: 'held', holder: 'pod-0' },
  cachesFilled: false,
  served,
}

describe('a controller', () => {
  test.each<{ because: string; change: Partial<ControllerFacts>; answer: object }>([
    {
      because: 'another process leads',
      change: {},
      answer: { status: HEALTHY, started: true, enabled: false, leader: 'pod-0', crdsReady: true },
    },
    {
      because: 'the leader has not renewed its Lease',
      change: { leadership: { kind: 'overdue', holder: 'pod-0', since: '2026-01-01T00:00:00Z' } },
      answer: { status: DEGRADED, started: false, leader: 'pod-0' },
    },
    {
      because: 'there is no leader',
      change: { leadership: { kind: 'free' } },
      answer: { status: DEGRADED, started: false, leader: '', message: 'no leader' },
    },
    {
      because: 'the Lease cannot be read',
      change: { leadership: { kind: 'hidden', because: 'it may not be read' } },
      answer: { status: UNKNOWN, started: false, message: 'it may not be read' },
    },
    {
      because: 'it runs in this process without leader election',
      change: { leadership: undefined, isOwn: true, cachesFilled: true },
      answer: { status: HEALTHY, started: true, enabled: true },
    },
    {
      because: 'it has not started in this process yet',
      change: { leadership: undefined, isOwn: true },
      answer: { status: DEGRADED, started: false, enabled: true },
    },
    {
      because: 'without leader election, other processes are unknown',
      change: { leadership: undefined, cachesFilled: true },
      answer: { status: UNKNOWN, started: false },
    },
    {
      because: 'a leader without its kinds is degraded',
      change: { served: served.slice(1) },
      answer: {
        status: DEGRADED,
        started: true,
        crdsReady: false,
        missingCrds: ['agents.agents.proompteng.ai'],
      },
    },
    {
      because: 'the API server does not respond',
      change: { served: undefined },
      answer: { status: UNKNOWN, crdsReady: false, missingCrds: [] },
    },
  ])('$because', ({ change, answer }) => {
    expect(controllerStatus({ ...facts, ...change })).toMatchObject(answer)
  })
})

describe('runtime adapters', () => {
  const withJobs: ServedResource[] = [
    ...served,
    {
      ...{ group: 'batch', version: 'v1', kind: 'Job', resource: 'jobs', namespaced: true },
      ...{ verbs: [], shortNames: [], categories: [], subresources: [] },
    },
  ]

  test.each([
    { because: 'all kinds are served', served: withJobs, status: HEALTHY, job: HEALTHY },
    { because: 'the controller is degraded', served: withJobs, status: DEGRADED, job: DEGRADED },
    {
      because: 'the status of the controller is unknown',
      served: withJobs,
      status: UNKNOWN,
      job: UNKNOWN,
    },
    { because: 'Jobs are not served', served, status: HEALTHY, job: DEGRADED },
    {
      because: 'the API server does not respond',
      served: undefined,
      status: UNKNOWN,
      job: UNKNOWN,
    },
  ])('$because', ({ served, status, job }) => {
    const adapters = runtimeAdapters(served, { name: 'agents-controller', status })
    expect(adapters.map(({ name, status, available }) => [name, status, available])).toEqual([
      ['workflow', job, job === HEALTHY],
      ['job', job, job === HEALTHY],
      ['temporal', DISABLED, false],
      ['custom', DISABLED, false],
    ])
  })
})

describe('a namespace', () => {
  test.each([
    {
      because: 'disabled components are ignored',
      statuses: [HEALTHY, DISABLED],
      status: HEALTHY,
      of: 0,
    },
    {
      because: 'an unknown component makes it unknown',
      statuses: [HEALTHY, UNKNOWN],
      status: UNKNOWN,
      of: 1,
    },
    { because: 'the worst status wins', statuses: [UNKNOWN, DEGRADED], status: DEGRADED, of: 2 },
  ])('$because', ({ statuses, status, of }) => {
    const components = statuses.map((each, index) => ({ name: `c${index}`, status: each }))
    const answer = namespaceStatus('agents', components)
    expect(answer).toMatchObject({ namespace: 'agents', status })
    expect(answer.degradedComponents).toHaveLength(of)
  })
})
