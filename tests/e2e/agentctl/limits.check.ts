import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse, stringify } from 'yaml'
import { type LocalPlatform, startPlatformIn } from '../../support/agentctl/local-platform.ts'
import { runTool } from '../../support/tools/run-tool.ts'

let platform: LocalPlatform
beforeAll(async () => {
  platform = await startPlatformIn({ JANGAR_AGENTS_CONTROLLER_CONCURRENCY_AGENT: '1' })
})
afterAll(() => platform.remove())

function agentctl(...args: string[]) {
  return platform.agentctl(...args)
}

function run(name: string, mode: string) {
  return agentctl(
    ...['run', '-a', 'scripted', '-t', 'Something', '--name', name, '--no-wait'],
    ...['-p', `scriptedMode=${mode}`],
  )
}

describe('with one slot for each agent', () => {
  test('explain reports which run waits, its position in the queue, and for what', async () => {
    expect((await run('holder', 'hang')).code).toBe(0)
    expect((await agentctl('wait', 'run', 'holder', '--for=condition=Started')).code).toBe(0)
    await run('next', 'no-change')
    const { stdout } = await agentctl('wait', 'run', 'next', '--for=condition=Accepted')
    expect(stdout).toContain('condition met')
    const explained = await agentctl('explain', 'run', 'next')
    expect(explained.stdout).toMatch(/yes +Accepted/)
    expect(explained.stdout).toMatch(/no +Admitted {2}(ConcurrencyLimit|Queued) \(no since/)
    expect(explained.stdout).toMatch(/Queue\n {2}position 1/)
    expect(explained.stdout).toMatch(/hold a slot\n {2}holder +agent scripted +for \d+/)
    expect(explained.stdout).toContain('It starts when one of the active runs has ended')

    const running = await agentctl('explain', 'run', 'holder')
    expect(running.stdout).toMatch(/yes +Started/)
    expect(running.stdout).toContain('agentctl logs -f holder')
    // The sample run.
    expect(running.stdout).toMatch(
      /Duration\n {2}The only run of this agent that succeeded took \d+s\. (About|This one)/,
    )

    expect((await agentctl('cancel', 'holder')).code).toBe(0)
    const met = await agentctl('wait', 'run', 'next', '--for=condition=Succeeded', '--timeout=300s')
    expect(met.code).toBe(0)
  })
})

describe('a user who may create runs but not read their logs', () => {
  let kubeconfig: string
  beforeAll(async () => {
    const kubectl = (...args: string[]) =>
      runTool(['kubectl', '1.36'], args, { kubeconfig: platform.kubeconfig })
    await kubectl('create', 'serviceaccount', 'guest')
    const runs = ['--verb=get,list,watch,create,patch', '--resource=agentruns.agents.proompteng.ai']
    await kubectl('create', 'role', 'runs', ...runs)
    await kubectl('create', 'role', 'pods', '--verb=list,watch', '--resource=pods')
    for (const role of ['runs', 'pods']) {
      const binding = [`--role=${role}`, '--serviceaccount=agents:guest']
      await kubectl('create', 'rolebinding', role, ...binding)
    }
    const { stdout: token } = await kubectl('create', 'token', 'guest')
    const admin = parse(readFileSync(platform.kubeconfig, 'utf8'))
    kubeconfig = join(platform.stateDir, 'guest.kubeconfig')
    const users = [{ name: admin.users[0].name, user: { token: token.trim() } }]
    writeFileSync(kubeconfig, stringify({ ...admin, users }))
  })

  test('doctor reports the missing permissions', async () => {
    const { code, stdout } = await agentctl('doctor', '--kubeconfig', kubeconfig)
    expect(code).toBe(1)
    expect(stdout).toMatch(
      /bad +permissions +in agents you are not allowed to list agents, get pods\/log, list events/,
    )
    expect(stdout).toMatch(/maybe +kinds +not checked: you are not allowed to list/)
  })

  test('run reports how the run ended, and why its output is missing', async () => {
    const flags = ['--name', 'silent', '--kubeconfig', kubeconfig]
    const { code, stderr } = await agentctl('run', '-a', 'scripted', '-t', 'Something', ...flags)
    expect(code).toBe(0)
    expect(stderr).toMatch(
      /the output of the run cannot be shown: .*cannot get resource "pods\/log"/,
    )
    expect(stderr).toContain('agentctl doctor')
    expect(stderr).toMatch(/silent {2}Succeeded/)
  })

  test('a forbidden request fails with the message of the server', async () => {
    const { code, stderr } = await agentctl('get', 'secrets', '--kubeconfig', kubeconfig)
    expect(code).toBe(3)
    expect(stderr).toMatch(/secrets is forbidden: User "system:serviceaccount:agents:guest"/)
  })
})
