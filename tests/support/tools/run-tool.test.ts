import { type Tool, toolPath } from '@agents/chart-tools'
import { describe, expect, test } from 'vitest'
import { runTool } from './run-tool.ts'

const onLinux = process.platform === 'linux' && process.arch === 'x64'

describe.skipIf(!onLinux)('tools from npm', () => {
  test.each<{ because: string; tool: Tool; args: string[]; message: string }>([
    {
      because: 'kubectl 1.36 is kubectl 1.36',
      tool: ['kubectl', '1.36'],
      args: ['version', '--client'],
      message: 'v1.36.',
    },
    {
      because: 'kubectl 1.32 is kubectl 1.32',
      tool: ['kubectl', '1.32'],
      args: ['version', '--client'],
      message: 'v1.32.',
    },
    {
      because: 'helm 4 is helm 4',
      tool: ['helm', '4'],
      args: ['version', '--short'],
      message: 'v4.',
    },
    {
      because: 'helm 3 is helm 3',
      tool: ['helm', '3'],
      args: ['version', '--short'],
      message: 'v3.',
    },
  ])('$because', { timeout: 60_000 }, async ({ tool, args, message }) => {
    const result = await runTool(tool, args)
    expect(result).toMatchObject({ code: 0, timedOut: false })
    expect(result.stdout).toContain(message)
  })

  test('concurrent callers get the same binary', { timeout: 60_000 }, async () => {
    const paths = await Promise.all(Array.from({ length: 4 }, () => toolPath('kubectl', '1.36')))
    expect(new Set(paths).size).toBe(1)
  })

  test('input, output and exit code of a tool are passed on', { timeout: 60_000 }, async () => {
    const manifest = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"one"}}'
    const seen: string[] = []
    const args = ['annotate', '--local', '-f', '-', 'a=b', '-o', 'json']
    const result = await runTool(['kubectl', '1.36'], args, {
      stdin: manifest,
      onStdout: (chunk) => seen.push(chunk),
    })
    expect(JSON.parse(result.stdout)).toMatchObject({ metadata: { annotations: { a: 'b' } } })
    expect(seen.join('')).toBe(result.stdout)

    const refused = await runTool(['kubectl', '1.36'], ['no-such-command'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('unknown command')
  })

  test('a tool that hangs is killed', { timeout: 60_000 }, async () => {
    const args = ['proxy', '--port=0', '--server=http://127.0.0.1:1']
    expect(await runTool(['kubectl', '1.36'], args, { timeoutMs: 300 })).toMatchObject({
      timedOut: true,
      code: 137,
    })
    const aborted = await runTool(['kubectl', '1.36'], args, { signal: AbortSignal.timeout(300) })
    expect(aborted).toMatchObject({ timedOut: false, code: 143 })
  })
})
