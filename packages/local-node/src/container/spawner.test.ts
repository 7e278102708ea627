import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type Spawned, Spawner } from './spawner.ts'

describe('a process that the helper starts', () => {
  let folder: string
  let spawner: Spawner
  const started: Spawned[] = []
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-spawner-'))
    spawner = new Spawner()
  })
  afterEach(() => {
    for (const { pid } of started.splice(0)) endGroup(pid)
  })
  afterAll(async () => {
    spawner.close()
    await rm(folder, { recursive: true, force: true })
  })
  const sh = (script: string, env: Record<string, string> = {}): Spawned => {
    const one = spawner.start({ file: '/bin/sh', args: ['-c', script], cwd: folder, env })
    started.push(one)
    return one
  }

  test('has only the given environment, in the given folder', async () => {
    const one = sh('env >env; pwd >pwd; echo ready >&3', { GREETING: 'a\nb' })
    await one.exit
    const names = (await readFile(join(folder, 'env'), 'utf8')).match(/^[A-Z]+(?==)/gm)
    expect(names?.filter((name) => !['PWD', 'SHLVL', 'OLDPWD'].includes(name))).toEqual([
      'GREETING',
    ])
    expect((await readFile(join(folder, 'pwd'), 'utf8')).trim()).toContain('agents-spawner-')
  })

  test('is ready at its first line, and waits for go', async () => {
    const one = sh('echo ready >&3; read word <&3; echo "$word" >word')
    expect(await one.ready).toBe(true)
    expect(one.pid).toBeGreaterThan(1)
    one.go()
    await one.exit
    expect(await readFile(join(folder, 'word'), 'utf8')).toBe('go\n')
  })

  test('receives an acknowledgement of its second line', async () => {
    const one = sh('echo ready >&3; read word <&3; echo exit >&3; read word <&3; echo "$word" >ok')
    await one.ready
    one.go()
    await one.exit
    expect(await readFile(join(folder, 'ok'), 'utf8')).toBe('ok\n')
  })

  test.each([
    { because: 'the program does not exist', file: '/nowhere/program', args: [] },
    { because: 'the argument is invalid', file: '/bin/sh', args: ['a\0b'] },
  ])('does not start if $because', async ({ file, args }) => {
    const one = spawner.start({ file, args, cwd: folder, env: {} })
    expect(await one.ready).toBe(false)
    expect((await one.exit).error).not.toBe('')
    expect(one.pid).toBeUndefined()
  })

  test('reports the signal that ended it', async () => {
    const one = sh('echo ready >&3; kill -KILL $$')
    expect(await one.exit).toMatchObject({ signal: 'SIGKILL' })
  })

  test('is lost, not ended, if the helper ends; the next process gets a new helper', async () => {
    const one = sh('echo $PPID >parent; echo ready >&3; sleep 60')
    await one.ready
    process.kill(Number(await readFile(join(folder, 'parent'), 'utf8')), 'SIGKILL')
    expect(await one.exit).toEqual({ isLost: true })
    expect(pathExists(one.pid)).toBe(true)
    expect(await sh('echo ready >&3').ready).toBe(true)
  })
})

function pathExists(pid = 0): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // The process has already ended.
  }
}
