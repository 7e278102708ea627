import { expect, test } from 'vitest'
import { pushVerdict } from './push-verdict.ts'

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
