import type { Clock } from '@agents/controller'
import type { KubeClient } from '@agents/kube'
import { describe, expect, test } from 'vitest'
import { doctorUsage, parseDoctorArguments } from './doctor-arguments.ts'
import { examineRelease } from './examine-release.ts'
import { type Finding, reportText } from './finding.ts'
import { untilGood } from './until-good.ts'

const { signal } = new AbortController()
const good: Finding = { about: 'x', verdict: 'good', says: 'well' }
const bad: Finding = { about: 'x', verdict: 'bad', says: 'not yet', advice: ['Wait.'] }

/** On which sleeping takes no time of ours. */
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
    { because: 'there is no time', timeoutMs: 0, finding: bad, times: 1 },
    {
      because: 'doubt does not go away',
      timeoutMs: 60_000,
      finding: { ...bad, verdict: 'doubtful' as const },
      times: 1,
    },
    // 0, 0.5, 1.5, 3.5 and 4 s.
    { because: 'the time is up', timeoutMs: 4_000, finding: bad, times: 5 },
  ])('is asked $times times when $because', async ({ timeoutMs, finding, times }) => {
    let asked = 0
    const check = async () => {
      asked += 1
      return finding
    }
    expect(await untilGood(check, { clock: hurried(), timeoutMs, signal })).toBe(finding)
    expect(asked).toBe(times)
  })

  test('that throws is bad', async () => {
    const openClient = (): Promise<KubeClient> => Promise.reject(new Error('no credentials'))
    const ports = { openClient, clock: hurried(), timeoutMs: 0, signal }
    const questions = { http: [], grpc: [], grants: [], definitions: [] }
    expect(await examineRelease(questions, ports)).toMatchObject([
      { about: 'rbac', verdict: 'bad', says: 'no credentials' },
      { about: 'crds', verdict: 'bad', says: 'no credentials' },
    ])
  })
})

test('the report has a line for each, with what to do', () => {
  expect(reportText([good, bad])).toBe('ok     x  well\nbad    x  not yet. Wait.\n')
})

describe('the command line', () => {
  test('is understood', () => {
    const rules = [{ namespace: 'agents', rules: [] }]
    const line =
      '--http http://a/readyz --http https://b/readyz --grpc [::1]:1 --crds --timeout 7s -o json'
    const args = [...line.split(' '), '--rbac', '--rules', JSON.stringify(rules)]
    expect(parseDoctorArguments(args)).toEqual({
      http: [new URL('http://a/readyz'), new URL('https://b/readyz')],
      grpc: ['[::1]:1'],
      grants: rules,
      crds: true,
      timeoutMs: 7000,
      asJson: true,
    })
    expect(parseDoctorArguments(['--help'])).toBe('help')
    expect(doctorUsage).toContain('--timeout')
  })

  test.each([
    { because: 'nothing is asked', args: [], says: 'nothing to look at' },
    { because: 'rules are missing', args: ['--rbac'], says: 'belong together' },
    { because: 'nobody asks for the rules', args: ['--rules', '[]'], says: 'belong together' },
    { because: 'it is no time', args: ['--crds', '--timeout', 'soon'], says: '--timeout' },
    { because: 'it is no URL', args: ['--http', 'agents:80'], says: 'no http(s) URL' },
    {
      because: 'it has a scheme',
      args: ['--grpc', 'http://agents:80'],
      says: '--grpc is no address',
    },
    { because: 'it is no port', args: ['--grpc', 'agents:65536'], says: '--grpc is no address' },
    { because: 'it is no format', args: ['--crds', '-o', 'xml'], says: 'text or json' },
    { because: 'there is no such flag', args: ['--all'], says: '--all' },
  ])('is refused when $because', ({ args, says }) => {
    expect(() => parseDoctorArguments(args)).toThrow(says)
  })

  test('does not repeat a password', () => {
    const args = ['--http', 'http://somebody:not-a-real-password@agents/readyz']
    expect(() => parseDoctorArguments(args)).toThrow(/^--http has a name or a password in it$/)
  })
})
