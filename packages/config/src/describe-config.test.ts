import { expect, test } from 'vitest'
import { describeConfig } from './describe-config.ts'
import { duration } from './duration.ts'
import { parseConfig } from './parse-config.ts'
import { number, text, url } from './scalars.ts'

const doc = 'What it is for.'

const declaration = {
  password: text('PASSWORD', { doc, secret: true }),
  token: text('TOKEN', { doc, secret: true, optional: true }),
  limits: {
    rate: number('RATE', { doc, fallback: 5 }),
    waitMs: duration('WAIT', { doc, fallback: 90_000 }),
  },
  remote: url('REMOTE', { doc, schemes: ['https'] }),
  host: text('HOST', { doc, optional: true }),
}

test('every effective value by its variable, secrets only as set or not set', () => {
  const env = { PASSWORD: 'hunter2', REMOTE: 'https://user:hunter3@git.test/a', RATE: '0' }
  expect(describeConfig(declaration, parseConfig(declaration, env))).toEqual({
    PASSWORD: 'set',
    TOKEN: 'not set',
    RATE: 0,
    WAIT: '1m30s',
    REMOTE: 'https://***@git.test/a',
    HOST: 'not set',
  })
})
