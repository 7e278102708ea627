import { expect, test } from 'vitest'
import { pushVerdict, serverMessage } from './push-verdict.ts'

test.each([
  { kind: 'accepted', line: ' \tabc:refs/heads/main\t111..222' },
  { kind: 'accepted', line: '*\tabc:refs/heads/main\t[new branch]' },
  { kind: 'accepted', line: '=\tabc:refs/heads/main\t[up to date]' },
  { kind: 'stale', line: '!\tabc:refs/heads/main\t[rejected] (stale info)' },
  {
    kind: 'blocked',
    line: "!\tabc:refs/heads/main\t[remote rejected] (cannot lock ref 'refs/heads/main': is at 111 but expected 222)",
  },
  { kind: 'blocked', line: '!\tabc:refs/heads/main\t[remote rejected] (reference already exists)' },
  {
    kind: 'blocked',
    line: "!\tabc:refs/heads/main\t[remote rejected] (cannot lock ref 'refs/heads/a/b': 'refs/heads/a' exists; cannot create 'refs/heads/a/b')",
  },
  {
    kind: 'declined',
    line: '!\tabc:refs/heads/main\t[remote rejected] (protected branch hook declined)',
  },
  { kind: 'unknown', line: '' },
  { kind: 'unknown', line: '!\tabc:refs/heads/other\t[rejected] (stale info)' },
])('$line is $kind', ({ kind, line }) => {
  expect(pushVerdict(`To file:///x\n${line}\nDone\n`, 'refs/heads/main').kind).toBe(kind)
})

test('the server message is one line, without the output of git itself', () => {
  const stderr =
    'remote: error: GH006: Protected branch update failed.        \nremote: \nremote: Ask the owners.\nTo file:///a\nerror: failed to push some refs'
  expect(serverMessage(stderr)).toBe(
    'error: GH006: Protected branch update failed. Ask the owners.',
  )
})
