import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { chart, problemsIn, render } from '../support/chart/render.ts'
import { runTool } from '../support/tools/run-tool.ts'

const timeout = 60_000

describe('rules that Helm itself enforces', () => {
  test('a cluster that is too old is refused (V29)', { timeout }, async () => {
    const { code, errors } = await render({}, { args: ['--kube-version', '1.28.9'] })
    expect(code).not.toBe(0)
    expect(errors).toContain('kubeVersion')
  })

  test('a chart without an appVersion requires a tag or a digest (V12)', {
    timeout,
  }, async () => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-chart-'))
    try {
      await cp(chart, folder, { recursive: true })
      const definition = await readFile(join(folder, 'Chart.yaml'), 'utf8')
      await writeFile(join(folder, 'Chart.yaml'), definition.replace(/^appVersion:.*$/m, ''))
      const { stderr } = await runTool(['helm', '4'], ['template', 'agents', folder])
      expect(problemsIn(stderr)).toEqual([expect.stringMatching(/^image is .*\[V12\]$/)])
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })

  test.each(['3', '4'] as const)(
    'Helm %s rejects values that the schema does not define, with their paths',
    { timeout },
    async (helm) => {
      const { code, errors } = await render(
        {
          bogus: 1,
          controllers: { bogus: 1, enabled: 'yes' },
          grpc: { port: 70000 },
          image: { digest: 'sha256:short' },
          env: { vars: { 'NOT A NAME': 'x', OBJECT: {} } },
          rolloutChecksums: { values: { secret: { a: 'short' } } },
          metrics: { serviceMonitor: { renderMode: 'sometimes' } },
        },
        { helm, args: ['--set', 'controller.rate=null,service.port=null'] },
      )
      expect(code).not.toBe(0)
      const words = errors.replaceAll('/', '.')
      for (const path of [
        'bogus',
        'controllers',
        'controllers.enabled',
        'grpc.port',
        'image.digest',
        'env.vars',
        'rolloutChecksums.values.secret.a',
        'metrics.serviceMonitor.renderMode',
        'rate',
        'service',
      ]) {
        expect(words).toContain(path)
      }
    },
  )
})
