import type { Finding } from '@agents/jangar'
import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { visibleJson } from '../cli/terminal-text.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { checkEverything } from '../doctor/check-everything.ts'
import { requestsChecks, runRequestedChecks } from '../doctor/requested-checks.ts'

export const doctorCommand = defineCommand({
  about:
    'The exit code is 1 if a check fails. With any of --http, --grpc, --rbac and --crds only those checks are done, as in the pods of "helm test".',
  options: {
    http: {
      type: 'string',
      multiple: true,
      value: 'URL',
      help: 'Check that this readiness endpoint of the platform reports ready.',
    },
    grpc: {
      type: 'string',
      multiple: true,
      value: 'HOST:PORT',
      help: 'Check that the gRPC server at this address reports SERVING.',
    },
    rbac: {
      type: 'boolean',
      help: 'Check that you have the permissions to create and follow runs, or those in --rules.',
    },
    rules: {
      type: 'string',
      value: 'JSON',
      help: 'With --rbac: rules as in a Role, [{"namespace": …, "rules": […]}]. Without a namespace they apply to all namespaces.',
    },
    crds: {
      type: 'boolean',
      help: 'Check that the cluster serves the kinds in the version of this program.',
    },
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'With --http, --grpc, --rbac or --crds: repeat failed checks for this long, such as 30s or 5m. If omitted, each check is done once.',
    },
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json'],
      help: 'Output format. If omitted, text is printed.',
    },
    ...clusterOptions,
  },
  examples: [
    { does: 'check everything', line: 'agentctl doctor' },
    {
      does: 'wait until a release is ready',
      line: 'agentctl doctor --http http://127.0.0.1:8080/readyz --grpc 127.0.0.1:50051 --crds --timeout 2m',
    },
  ],
  run: async ({ values }, context) => {
    const findings = requestsChecks(values)
      ? await runRequestedChecks(values, context)
      : await checkEverything(values, context)
    const { style } = context.stdout
    const marks = {
      good: style.good('ok   '),
      doubtful: style.warn('maybe'),
      bad: style.bad('bad  '),
    }
    const width = Math.max(...findings.map(({ about }) => about.length))
    const lines = ({ about, verdict, says, advice = [] }: Finding): string[] => [
      `${marks[verdict]}  ${about.padEnd(width)}  ${says}`,
      ...advice.map((line) => `${' '.repeat(width + 9)}${style.dim(line)}`),
    ]
    if (values.output === 'json') {
      context.stdout.writeDocument(visibleJson(`${JSON.stringify(findings, undefined, 2)}\n`))
    } else {
      context.stdout.write(`${findings.flatMap(lines).join('\n')}\n`)
    }
    if (context.stop.aborted) return exitCode.interrupted
    return findings.some(({ verdict }) => verdict === 'bad') ? exitCode.failed : exitCode.done
  },
})
