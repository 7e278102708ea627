import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  agentctlPath,
  type LocalPlatform,
  startPlatformIn,
  startProgram,
} from '../../support/agentctl/local-platform.ts'
import { until } from '../../support/testbed/until.ts'

let folder: string
let platform: LocalPlatform
let url: string
let ca: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Agents</title>')
  // Stands for the browser: notes its arguments and the page that it is given.
  mkdirSync(join(folder, 'bin'))
  const opener = join(folder, 'bin/xdg-open')
  writeFileSync(
    opener,
    `#!/bin/sh\necho "$@" >${folder}/arguments\ncp "\${1#file://}" ${folder}/page\n`,
  )
  chmodSync(opener, 0o755)
  platform = await startPlatformIn({ JANGAR_API_CONSOLE_DIR: folder }, '--http-port', '0')
  const printed = /^The API and the console are at (https:\/\/127\.0\.0\.1:\d+)$/m
  url = printed.exec(platform.up().stderr())?.[1] ?? ''
  ca = readFileSync(join(platform.stateDir, 'cluster/pki/ca.crt'), 'utf8')
})
afterAll(async () => {
  await platform?.remove()
  rmSync(folder, { recursive: true, force: true })
})

interface Reply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly text: string
}

function ask(path: string, method = 'GET', headers = {}, body?: string): Promise<Reply> {
  return new Promise((resolve, reject) => {
    request(`${url}${path}`, { method, headers, ca, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      )
    })
      .on('error', reject)
      .end(body)
  })
}

async function signIn(code: string) {
  const json = { 'content-type': 'application/json', origin: url }
  const reply = await ask('/v1/session', 'POST', json, JSON.stringify({ code }))
  const [cookie = ''] = (reply.headers['set-cookie']?.[0] ?? '').split(';')
  const { proof = '', user } = JSON.parse(reply.text)
  return { status: reply.status, user, headers: { cookie, 'x-agents-session': proof, origin: url } }
}

test('without a display, the address that is printed signs a browser in once', async () => {
  expect((await ask('/', 'GET', { accept: 'text/html' })).text).toContain('<title>Agents')
  const { code: exit, stdout } = await platform.agentctl('console')
  expect(exit).toBe(0)
  const [, code = ''] = new RegExp(`^${url}/#code=([\\w-]{43})\n$`).exec(stdout) ?? []
  const { status, headers } = await signIn(code)
  expect(status).toBe(201)
  const runs = await ask('/v1/runs', 'GET', headers)
  expect(runs.text).toContain('first-run')
  expect((await signIn(code)).status).toBe(401)
  const out = await platform.agentctl('console', '--sign-out')
  expect(out.stderr).toContain('Ended 1 sessions.')
  expect((await ask('/v1/runs', 'GET', headers)).status).toBe(401)
  const log = readFileSync(join(platform.stateDir, 'platform.log'), 'utf8')
  for (const secret of [code, headers.cookie.split('=')[1] ?? '', headers['x-agents-session']]) {
    expect(secret).toHaveLength(43)
    expect(log).not.toContain(secret)
  }
})

test('with a display, the browser gets a private file, and no argument has the code', async () => {
  const environment = {
    AGENTCTL_STATE_DIR: platform.stateDir,
    DISPLAY: ':0',
    PATH: `${folder}/bin:/usr/local/bin:/usr/bin:/bin`,
  }
  const run = startProgram(process.execPath, [agentctlPath, 'console'], environment)
  const { code: exit, stdout, stderr } = await run.finished
  expect({ exit, stdout }).toEqual({ exit: 0, stdout: '' })
  expect(stderr).toContain(`The console at ${url} opens in your browser.`)
  await until(async () => readFileSync(join(folder, 'page'), 'utf8') !== '')
  const page = readFileSync(join(folder, 'page'), 'utf8')
  const [, code = ''] = new RegExp(`url=${url}/#code=([\\w-]{43})"`).exec(page) ?? []
  expect(readFileSync(join(folder, 'arguments'), 'utf8')).not.toContain(code)
  expect(statSync(join(platform.stateDir, 'console.html')).mode & 0o777).toBe(0o600)
  expect((await signIn(code)).status).toBe(201)
})

test('the user of another kubeconfig is signed in as that user', async () => {
  const config = JSON.parse(readFileSync(join(platform.stateDir, 'kubeconfig.json'), 'utf8'))
  const { token: admin } = config.users[0].user
  const { server } = config.clusters[0].cluster
  const call = (path: string, body: object) =>
    new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${admin}`, 'content-type': 'application/json' }
      request(`${server}${path}`, { method: 'POST', headers, ca, agent: false }, (response) => {
        let text = ''
        response.on('data', (piece) => {
          text += piece
        })
        response.on('end', () => resolve(text))
      })
        .on('error', reject)
        .end(JSON.stringify(body))
    })
  const accounts = '/api/v1/namespaces/agents/serviceaccounts'
  await call(accounts, { metadata: { name: 'visitor' } })
  const { token } = JSON.parse(await call(`${accounts}/visitor/token`, { spec: {} })).status
  const own = { ...config, users: [{ ...config.users[0], user: { token } }] }
  const file = join(folder, 'visitor.json')
  writeFileSync(file, JSON.stringify(own))
  const { stdout, stderr } = await platform.agentctl('console', '--no-open', '--kubeconfig', file)
  expect(stderr).toContain('works once')
  const { user, headers } = await signIn(/#code=(.*)\n/.exec(stdout)?.[1] ?? '')
  expect(user.username).toBe('system:serviceaccount:agents:visitor')
  expect((await ask('/v1/runs?namespace=agents', 'GET', headers)).status).toBe(403)
})

test('without the files of the console, the command says so', async () => {
  rmSync(join(folder, 'index.html'))
  const { code, stderr, stdout } = await platform.agentctl('console')
  expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
  expect(stderr).toContain('its files are missing')
})
