import { describe, expect, test } from 'vitest'
import type { NotedRequest } from '../../support/testbed/audit-log.ts'
import { requestsEach, requestTable } from './budget.ts'

const manager = 'kube-controller-manager/v1.36.4 (linux/amd64) kubernetes/unknown'
const jobController = `${manager}/system:serviceaccount:kube-system:job-controller`

/** Requests as they are in the audit log, for two objects. */
const ofTwoRuns: readonly NotedRequest[] = [
  ...times(6, request('controllers (linux/x64)', 'update', 'agentruns', 'status')),
  ...times(2, request('controllers (linux/x64)', 'create', 'jobs')),
  request('controllers (linux/x64)', 'patch', 'agentruns', undefined, 409),
  ...times(4, request(jobController, 'create', 'events')),
]
const ofTwoJobs: readonly NotedRequest[] = [
  ...times(2, request('agents (linux/x64)', 'create', 'jobs')),
  ...times(4, request(jobController, 'create', 'events')),
]

describe('the requests per object', () => {
  test('are counted by client, verb and resource, and conflicts apart', () => {
    const table = requestTable({ count: 2, of: ofTwoRuns }, { count: 2, of: ofTwoJobs })
    const rows = table.split('\n').map((line) => line.trim().split(/ {2,}/))
    expect(rows).toEqual([
      ['requests per', 'run bare Job'],
      ['controllers update agentruns/status', '3.00', '0.00'],
      ['job-controller create events', '2.00', '2.00'],
      ['controllers create jobs', '1.00', '0.00'],
      ['controllers patch agentruns (409)', '0.50', '0.00'],
      ['agents create jobs', '0.00', '1.00'],
      ['all', '6.50', '3.00'],
    ])
  })

  test.each([
    {
      because: 'discovery and health checks',
      more: times(50, { verb: 'get', userAgent: 'controllers' }),
    },
    {
      because: 'writes that are sent as time passes, such as renewals of leases',
      more: times(2, request('kwok/v0.8.0', 'update', 'leases')),
    },
  ])('do not include $because', ({ more }) => {
    const creates = times(100, request('controllers (linux/x64)', 'create', 'jobs'))
    expect(requestsEach({ count: 100, of: [...creates, ...more] })).toBe(1)
  })
})

function request(
  userAgent: string,
  verb: string,
  resource: string,
  subresource?: string,
  code = 200,
): NotedRequest {
  const objectRef = { resource, ...(subresource !== undefined && { subresource }) }
  return { verb, userAgent, objectRef, responseStatus: { code } }
}

function times<T>(count: number, value: T): T[] {
  return Array.from({ length: count }, () => value)
}
