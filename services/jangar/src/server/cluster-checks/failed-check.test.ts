import { KubeError } from '@agents/kube'
import { silentLogger } from '@agents/log'
import { expect, test } from 'vitest'
import { failureOf } from './failed-check.ts'

const about = 'kinds'

test('a check that was not allowed was not done', () => {
  const error = new KubeError('list x: no', { code: 403, reason: 'Forbidden' })
  expect(found(error)).toEqual({ about, verdict: 'doubtful', says: 'not checked: list x: no' })
})

test('the caller sees what the API server answered, and nothing of the errors of this process', () => {
  const refused = new KubeError('list x: broken', { code: 500, reason: 'InternalError' })
  expect(found(refused)).toEqual({ about, verdict: 'bad', says: 'list x: broken' })
  const says = 'not checked: the check itself failed'
  expect(found(new TypeError('secret'))).toEqual({ about, verdict: 'doubtful', says })
})

test('only what was cut off by the time limit was not finished in time', () => {
  const says = 'the check was not finished in time'
  expect(found(new Error('aborted'), AbortSignal.abort())).toEqual({ about, verdict: 'bad', says })
})

function found(error: unknown, signal = new AbortController().signal) {
  return failureOf(signal, silentLogger)(about)(error)
}
