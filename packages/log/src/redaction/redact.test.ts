import { describe, expect, test } from 'vitest'
import { redact } from './redact.ts'

// Assembled at run time, so that secret scanners do not report this file.
const letters = 'AbCdEfGh12345678IjKlMnOp'
const jwt = `eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhZ2VudCJ9.${letters}`
const pem = [
  '-----BEGIN',
  ' EC PRIVATE KEY-----\nMIG2AgEA\nMIG3AgEB\n-----END EC',
  ' PRIVATE KEY-----',
].join('')

function encoded(text: string) {
  return Buffer.from(text).toString('base64')
}

describe('what is masked', () => {
  test.each([
    { because: 'a bearer token', text: 'Bearer abcdefgh12345678', hidden: 'abcdefgh12345678' },
    { because: 'basic credentials', text: 'sent Basic dXNlcjpwYXNz', hidden: 'dXNlcjpwYXNz' },
    {
      because: 'a GitHub "token" scheme',
      text: 'token 0123456789abcdef',
      hidden: '0123456789abcdef',
    },
    { because: 'a JSON Web Token', text: `got ${jwt}.`, hidden: jwt },
    { because: 'a JSON Web Token glued to a word', text: `x${jwt}`, hidden: jwt },
    { because: 'a GitHub token', text: `ghp_${letters}`, hidden: letters },
    { because: 'a fine-grained GitHub token', text: `github_pat_${letters}`, hidden: letters },
    { because: 'a GitLab token', text: `see glpat-${letters}`, hidden: letters },
    { because: 'a Slack token', text: `xoxb-1234-${letters}`, hidden: letters },
    { because: 'an Anthropic key', text: `sk-ant-api03-${letters}`, hidden: letters },
    { because: 'an OpenAI key', text: `key sk-${letters}`, hidden: letters },
    { because: 'a Linear key', text: `lin_api_${letters}`, hidden: letters },
    {
      because: 'an age key',
      text: `AGE-SECRET-KEY-1${letters.toUpperCase()}`,
      hidden: letters.toUpperCase(),
    },
    { because: 'a private key in PEM', text: `before ${pem} after`, hidden: 'MIG3AgEB' },
    { because: 'a truncated private key', text: pem.slice(0, 50), hidden: 'MIG2' },
    {
      because: 'a private key with escaped line ends',
      text: pem.replaceAll('\n', '\\n'),
      hidden: 'MIG2',
    },
    {
      because: 'the password of a web URL',
      text: 'https://user:hunter2@git.test/a.git',
      hidden: 'hunter2',
    },
    {
      because: 'a token as the user of a web URL',
      text: 'https://opaque@git.test/a.git',
      hidden: 'opaque',
    },
    { because: 'a database password', text: 'postgres://app:p%40ss@db.test/app', hidden: 'p%40ss' },
    { because: 'a password with a slash', text: 'postgres://app:a/b?c@db.test/app', hidden: 'b?c' },
    { because: 'a password with an at sign', text: 'amqp://app:one@two@mq.test', hidden: 'one' },
    { because: 'an assignment', text: 'PGPASSWORD=hunter2 psql', hidden: 'hunter2' },
    { because: 'a query parameter', text: '/cb?access_token=hunter2&state=1', hidden: 'hunter2' },
    {
      because: 'a part of a connection string',
      text: 'Server=db;Password=hunter2;Database=x',
      hidden: 'hunter2',
    },
    {
      because: 'a flag and its value',
      text: 'login --password hunter2 --user x',
      hidden: 'hunter2',
    },
    { because: 'a JSON field', text: '{"clientSecret": "hunt\\"er2", "a": 1}', hidden: 'er2' },
    {
      because: 'JSON in a JSON string',
      text: '"{\\"apiKey\\":\\"hunt er2\\",\\"a\\":1}"',
      hidden: 'er2',
    },
    {
      because: 'a whole header line',
      text: 'Cookie: a=1; session=hunter2\nHost: x',
      hidden: 'hunter2',
    },
    { because: 'a YAML field', text: 'user: x\npassword: hunter2\n', hidden: 'hunter2' },
    {
      because: 'a block of YAML below such a field',
      text: 'auth:\n  password: |-\n    hunt\n\n    er2\n  user: x',
      hidden: 'er2',
    },
    {
      because: 'an environment variable in JSON',
      text: '{"env":[{"name":"DB_PASSWORD","value":"hunt\\"er2"}]}',
      hidden: 'er2',
    },
    {
      because: 'an environment variable in JSON in a JSON string',
      text: '"{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"hunter2\\"}"',
      hidden: 'hunter2',
    },
    {
      because: 'an environment variable in YAML',
      text: '- name: DB_PASSWORD\n  value: hunter2',
      hidden: 'hunter2',
    },
    { because: 'a private key in base64', text: encoded(pem), hidden: encoded(pem).slice(20, 40) },
    {
      because: 'an age key in base64',
      text: `age.agekey: ${encoded(`AGE-SECRET-KEY-1${letters.toUpperCase()}`)}`,
      hidden: encoded(`AGE-SECRET-KEY-1${letters.toUpperCase()}`).slice(24),
    },
    {
      because: "a Secret's data in JSON",
      text: '{"kind":"Secret","data":{"k":"aHVudGVyMg=="},"type":"Opaque"}',
      hidden: 'aHVudGVyMg',
    },
    {
      because: "a Secret's stringData with a brace in it",
      text: '{"apiVersion":"v1","stringData":{"k":"a}hunter2"},"kind":"Secret"}',
      hidden: 'hunter2',
    },
    {
      because: "a Secret's data in YAML",
      text: 'kind: Secret\ndata:\n  k: aHVudGVyMg==\n  more: |\n    hunter2\ntype: Opaque',
      hidden: 'hunter2',
    },
  ])('$because', ({ text, hidden }) => {
    expect(text).toContain(hidden)
    expect(redact(text)).not.toContain(hidden)
  })
})

describe('what is not masked', () => {
  test.each([
    { because: 'plain text', text: 'AgentRun agents/run-1 admitted in 12 ms' },
    { because: 'prose about schemes', text: 'basic authentication failed, bearer token missing' },
    { because: 'a validation message', text: 'spec.auth.token: Required value: must be set' },
    { because: 'a reference to a secret', text: 'secretName: codex-auth, secretKeyRef=codex' },
    { because: 'a URL without credentials', text: 'GET https://git.test:8443/a/@scope/b?x=1' },
    { because: 'an SSH user', text: 'ssh://git@git.test/a.git' },
    {
      because: 'a certificate',
      text: '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    },
    {
      because: 'certificates and public keys in base64',
      text: ['CERTIFICATE', 'PUBLIC KEY'].map((l) => encoded(`-----BEGIN ${l}-----\nMI`)).join(' '),
    },
    {
      because: 'an environment variable that is not secret',
      text: '{"name":"LOG_LEVEL","value":"debug"}',
    },
    { because: 'usage figures', text: 'inputTokens=1200 outputTokens: 34' },
    {
      because: 'names that contain a prefix',
      text: 'task-management-controller-0123 on disk-abcdef0123456789',
    },
    { because: "a ConfigMap's data", text: '{"kind":"ConfigMap","data":{"k":"v"}}' },
  ])('$because', ({ text }) => {
    expect(redact(text)).toBe(text)
  })

  test('the text around a masked value', () => {
    expect(redact('clone https://user:hunter2@git.test/a.git failed: exit 128')).toBe(
      'clone https://***@git.test/a.git failed: exit 128',
    )
    expect(redact('postgres://app:hunter2@db.test/app?sslmode=require')).toBe(
      'postgres://app:***@db.test/app?sslmode=require',
    )
    expect(redact('password: |\n  hunter2\nuser: x')).toBe('password: ***\nuser: x')
    expect(redact('- name: A_TOKEN\n  value: hunter2\n- name: B')).toBe(
      '- name: A_TOKEN\n  value: ***\n- name: B',
    )
    expect(redact('{"token":"hunter2","user":"x"}')).toBe('{"token":"***","user":"x"}')
  })
})
