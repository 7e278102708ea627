import { execFileSync } from 'node:child_process'
import { describe, expect, test } from 'vitest'
import { authorizationConfig, gitEnvironment } from './git-environment.ts'
import { sshEnvironment } from './ssh-command.ts'

const path = '/usr/local/bin:/usr/bin:/bin'
const options = { path, home: '/nonexistent', protocols: ['https'] }

/** The value that git itself sees for a setting. */
function setting(env: Record<string, string>, ...args: readonly string[]): string {
  return execFileSync('git', ['config', '--get', ...args], {
    env,
    cwd: '/',
    encoding: 'utf8',
  }).trim()
}

describe('the environment of git', () => {
  test('runs no hooks or helpers and follows no redirect', () => {
    const env = gitEnvironment(options)
    expect(setting(env, 'core.hooksPath')).toBe('/dev/null')
    expect(setting(env, 'core.fsmonitor')).toBe('false')
    expect(setting(env, 'credential.helper')).toBe('')
    expect(setting(env, 'http.followRedirects')).toBe('false')
    expect(setting(env, 'transfer.credentialsInUrl')).toBe('die')
  })

  test('has no settings of a system or user, and cannot be weakened by further variables', () => {
    const variables = { GIT_CONFIG_GLOBAL: '/etc/passwd', GIT_TERMINAL_PROMPT: '1', HOME: '/root' }
    expect(gitEnvironment({ ...options, variables })).toMatchObject({
      HOME: '/nonexistent',
      XDG_CONFIG_HOME: '/nonexistent',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_CONFIG_SYSTEM: '/dev/null',
      GIT_TERMINAL_PROMPT: '0',
      GIT_ALLOW_PROTOCOL: 'https',
    })
  })

  test('sends an Authorization header to the host of the remote only', () => {
    const config = authorizationConfig('https://git.example.test:8443/team/app.git', 'Basic eDp5')
    const env = gitEnvironment({ ...options, config })
    const header = (url: string) =>
      execFileSync('git', ['config', '--get-urlmatch', 'http.extraHeader', url], {
        env,
        cwd: '/',
        encoding: 'utf8',
      }).trim()
    expect(header('https://git.example.test:8443/team/app.git')).toBe('Authorization: Basic eDp5')
    for (const url of ['https://git.example.test/', 'https://other.test:8443/team/app.git']) {
      expect(() => header(url)).toThrow()
    }
  })
})

describe('the ssh command', () => {
  test('refuses unknown host keys unless they are to be trusted', () => {
    const command = (unknownHostKeys: 'refuse' | 'trust') =>
      sshEnvironment({ unknownHostKeys }).GIT_SSH_COMMAND
    expect(command('refuse')).toContain("'StrictHostKeyChecking=yes'")
    expect(command('trust')).toContain("'StrictHostKeyChecking=accept-new'")
    for (const text of [command('refuse'), command('trust')]) {
      expect(text).toContain("'UserKnownHostsFile=/dev/null'")
      expect(text).toContain("'GlobalKnownHostsFile=none'")
    }
  })

  test('uses the given key and no other', () => {
    const text = sshEnvironment({
      keyFile: "/keys/it's",
      unknownHostKeys: 'refuse',
    }).GIT_SSH_COMMAND
    expect(text).toContain(`'-i' '/keys/it'\\''s'`)
    expect(text).toContain("'IdentitiesOnly=yes'")
    expect(text).toContain("'IdentityAgent=none'")
  })
})
