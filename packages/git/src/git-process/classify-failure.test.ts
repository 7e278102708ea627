import { expect, test } from 'vitest'
import { classifyFailure } from './classify-failure.ts'
import { withoutSecrets } from './git.ts'

test.each([
  {
    code: 'refused',
    words:
      "fatal: the receiving end does not support this repository's hash algorithm\nfatal: the remote end hung up unexpectedly",
  },
  { code: 'unreachable', words: "fatal: unable to access 'https://x/': Could not resolve host: x" },
  {
    code: 'unreachable',
    words: "fatal: unable to access 'http://x/': Failed to connect to x port 1: Connection refused",
  },
  {
    code: 'unreachable',
    words: "fatal: unable to access 'https://x/': The requested URL returned error: 502",
  },
  {
    code: 'certificate',
    words: "fatal: unable to access 'https://x/': SSL certificate problem: self-signed certificate",
  },
  {
    code: 'certificate',
    words:
      "fatal: unable to access 'https://x/': server certificate verification failed. CAfile: none CRLfile: none",
  },
  {
    code: 'certificate',
    words:
      "fatal: unable to access 'https://x/': SSL: certificate subject name (y) does not match target host name 'x'",
  },
  {
    code: 'certificate',
    words:
      "fatal: unable to access 'https://x/': SSL: no alternative certificate subject name matches target host name 'x'",
  },
  {
    code: 'unreachable',
    words:
      "fatal: unable to access 'https://x/': GnuTLS, handshake failed: The TLS connection was non-properly terminated.",
  },
  {
    code: 'unreachable',
    words:
      'ssh: connect to host x port 22: Connection refused\nfatal: Could not read from remote repository.',
  },
  { code: 'auth', words: "fatal: Authentication failed for 'https://x/'" },
  {
    code: 'auth',
    words: "fatal: could not read Username for 'https://x': terminal prompts disabled",
  },
  {
    code: 'auth',
    words: "fatal: unable to access 'https://x/': The requested URL returned error: 403",
  },
  {
    code: 'auth',
    words: 'git@x: Permission denied (publickey).\nfatal: Could not read from remote repository.',
  },
  {
    code: 'host-key',
    words:
      'No ED25519 host key is known for x and you have requested strict checking.\nHost key verification failed.\nfatal: Could not read from remote repository.',
  },
  {
    code: 'not-found',
    words: "remote: Repository not found.\nfatal: repository 'https://x/' not found",
  },
  {
    code: 'not-found',
    words:
      "fatal: '/srv/x' does not appear to be a git repository\nfatal: Could not read from remote repository.",
  },
  { code: 'timeout', words: 'ssh: connect to host x port 22: Connection timed out' },
  {
    code: 'timeout',
    words: "fatal: unable to access 'https://x/': Operation too slow. Less than 100 bytes/sec",
  },
  { code: 'disk-full', words: 'error: unable to write file objects/aa: No space left on device' },
  { code: 'refused', words: "fatal: transport 'ext' not allowed" },
  { code: 'local', words: 'fatal: not a git repository: /x' },
  { code: 'failed', words: 'fatal: something new' },
] as const)('$words is $code', ({ code, words }) => {
  expect(classifyFailure(words)).toBe(code)
})

test('the output of a program is shown without its secrets', () => {
  expect(withoutSecrets('fatal: xyzzy-1 and xyzzy-1', ['xyzzy-1', ''])).toBe('fatal: *** and ***')
})
