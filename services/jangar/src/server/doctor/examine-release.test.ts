import type { Clock } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { type Finding, reportText } from '../cluster-checks/finding.ts'
import { doctorUsage, parseDoctorArguments } from './doctor-arguments.ts'
import { examineRelease } from './examine-release.ts'
import { untilGood } from './until-good.ts'

const { signal } = new AbortController()
const good: Finding = { about: 'x', verdict: 'good', says: 'well' }
const bad: Finding = { about: 'x', verdict: 'bad', says: 'not yet', advice: ['Wait.'] }

/** A clock on which sleeping takes no real time. */
function hurried(): Clock {
  let elapsed = 0
  return {
    now: () => new Date(elapsed),
    elapsed: () => elapsed,
    after: (milliseconds, action) => {
      queueMicrotask(() => {
        elapsed += milliseconds
        action()
      })
      return () => undefined
    },
  }
}

describe('a check', () => {
  test('is repeated until it is good', async () => {
    const answers = [bad, bad, good]
    const check = async () => answers.shift() ?? bad
    expect(await untilGood(check, { clock: hurried(), timeoutMs: 60_000, signal })).toBe(good)
    expect(answers).toEqual([])
  })

  test.each([
    { because: 'the time limit is zero', timeoutMs: 0, finding: bad, times: 1 },
    {
      because: 'the finding is doubtful',
      timeoutMs: 60_000,
      finding: { ...bad, verdict: 'doubtful' as const },
      times: 1,
    },
    // 0, 0.5, 1.5, 3.5 and 4 s.
    { because: 'the time limit is reached', timeoutMs: 4_000, finding: bad, times: 5 },
  ])('is run $times times if $because', async ({ timeoutMs, finding, times }) => {
    let requested = 0
    const check = async () => {
      requested += 1
      return finding
    }
    expect(await untilGood(check, { clock: hurried(), timeoutMs, signal })).toBe(finding)
    expect(requested).toBe(times)
  })

  test('that throws is reported as bad', async () => {
    const openClient = (): Promise<KubeClient> => Promise.reject(new Error('no credentials'))
    const ports = { openClient, clock: hurried(), timeoutMs: 0, signal }
    const questions = { http: [], grpc: [], grants: [], definitions: [] }
    expect(await examineRelease(questions, ports)).toMatchObject([
      { about: 'rbac', verdict: 'bad', says: 'no credentials' },
      { about: 'crds', verdict: 'bad', says: 'no credentials' },
    ])
  })
})

test('the report has a line for each finding, with advice', () => {
  expect(reportText([good, bad])).toBe('ok     x  well\nbad    x  not yet. Wait.\n')
})

describe('the command line', () => {
  test('is parsed', () => {
    const rules = [{ namespace: 'agents', rules: [] }]
    const line =
      '--http http://a/readyz --http https://b/readyz --grpc [::1]:1 --grpc https://c:2 --certificate c.crt --crds --timeout 7s -o json'
    const args = [...line.split(' '), '--rbac', '--rules', JSON.stringify(rules)]
    expect(parseDoctorArguments(args)).toEqual({
      http: [new URL('http://a/readyz'), new URL('https://b/readyz')],
      grpc: ['[::1]:1', 'https://c:2'],
      certificateFile: 'c.crt',
      grants: rules,
      crds: true,
      timeoutMs: 7000,
      asJson: true,
    })
    expect(parseDoctorArguments(['--help'])).toBe('help')
    expect(doctorUsage).toContain('--timeout')
  })

  test.each([
    { because: 'no check is requested', args: [], says: 'nothing to check' },
    { because: 'the rules are missing', args: ['--rbac'], says: 'must be used together' },
    {
      because: 'rules are given without the check',
      args: ['--rules', '[]'],
      says: 'must be used together',
    },
    { because: 'the timeout is invalid', args: ['--crds', '--timeout', 'soon'], says: '--timeout' },
    {
      because: 'the URL is invalid',
      args: ['--http', 'agents:80'],
      says: 'must be an http or https URL',
    },
    {
      because: 'the address has a scheme',
      args: ['--grpc', 'http://agents:80'],
      says: '--grpc must be an address',
    },
    {
      because: 'the port is invalid',
      args: ['--grpc', 'agents:65536'],
      says: '--grpc must be an address',
    },
    { because: 'the format is invalid', args: ['--crds', '-o', 'xml'], says: 'text or json' },
    { because: 'the flag is unknown', args: ['--all'], says: '--all' },
  ])('is rejected if $because', ({ args, says }) => {
    expect(() => parseDoctorArguments(args)).toThrow(says)
  })

  test('is rejected without repeating a password', () => {
    const args = ['--http', 'http://somebody:not-a-real-password@agents/readyz']
    expect(() => parseDoctorArguments(args)).toThrow(
      /^--http must not contain a user name or a password$/,
    )
  })
})
