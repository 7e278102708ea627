import { describe, expect, test } from 'vitest'
import { parseTokenFile } from './token-file.ts'

describe('a token file', () => {
  test('gives each token its user', () => {
    const users = parseTokenFile(
      ['# people', 't1,operator,u1', 't2,auditor,u2,"readers,on-call"', 't3,bot,u3,bots', ''].join(
        '\n',
      ),
    )
    expect([...users]).toEqual([
      ['t1', { name: 'operator', uid: 'u1', groups: [] }],
      ['t2', { name: 'auditor', uid: 'u2', groups: ['readers', 'on-call'] }],
      ['t3', { name: 'bot', uid: 'u3', groups: ['bots'] }],
    ])
  })

  test.each([
    { because: 'a user is missing', line: 'hidden-token' },
    { because: 'the uid is missing', line: 'hidden-token,operator' },
    { because: 'the token is empty', line: ',operator,u1' },
    { because: 'a quote is left open', line: 'hidden-token,operator,u1,"readers' },
    { because: 'something follows a quoted column', line: 'hidden-token,operator,u1,"readers"x' },
  ])('is rejected, without showing the token, when $because', ({ line }) => {
    expect(() => parseTokenFile(`ok,operator,u\n${line}`)).toThrow(
      /^invalid line 2 in the token file: expected/,
    )
    expect(() => parseTokenFile(line)).not.toThrow('hidden-token')
  })
})
