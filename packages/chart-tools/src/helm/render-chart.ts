import { spawn } from 'node:child_process'

/**
 * Renders the chart with values, and returns the manifest with its "# Source:" comments. Rejected values are an error
 * with the message of Helm.
 */
export type RenderChart = (values: unknown) => Promise<string>

/** Renders with a Helm binary, as release `agents` in namespace `agents`. */
export function helmRenderer(helm: string, chart: string): RenderChart {
  return (values) =>
    new Promise((resolve, reject) => {
      const args = ['template', 'agents', chart, '--namespace', 'agents', '--values', '-']
      const child = spawn(helm, args, { stdio: ['pipe', 'pipe', 'pipe'] })
      const output: string[] = []
      const errors: string[] = []
      child.stdout.setEncoding('utf8').on('data', (chunk: string) => output.push(chunk))
      child.stderr.setEncoding('utf8').on('data', (chunk: string) => errors.push(chunk))
      child.on('error', reject)
      child.on('close', (code) =>
        code === 0 ? resolve(output.join('')) : reject(new Error(errors.join(''))),
      )
      child.stdin.end(JSON.stringify(values))
    })
}
