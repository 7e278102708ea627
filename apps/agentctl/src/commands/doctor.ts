import type { Finding } from '@agents/jangar'
import { defineCommand } from '../cli/command.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { examine } from '../doctor/examine.ts'
import { asksForChecks, examineAsked } from '../doctor/examine-asked.ts'

export const doctorCommand = defineCommand({
  name: 'doctor',
  summary: 'Find out what keeps the platform from working',
  about:
    'The exit code is 1 when something is bad. With any of --http, --grpc, --rbac and --crds only that is looked at; the pods of "helm test" do so.',
  options: {
    http: {
      type: 'string',
      multiple: true,
      value: 'URL',
      help: 'A readiness endpoint of the platform says that it is ready.',
    },
    grpc: {
      type: 'string',
      multiple: true,
      value: 'HOST:PORT',
      help: 'The gRPC server there says that it is serving.',
    },
    rbac: {
      type: 'boolean',
      help: 'You have the rights that a person needs, or those of --rules.',
    },
    rules: {
      type: 'string',
      value: 'JSON',
      help: 'Rules as in a Role: [{"namespace": …, "rules": […]}]; without a namespace: in all of them.',
    },
    crds: { type: 'boolean', help: 'The cluster serves the kinds as this program knows them.' },
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'For this long bad checks are repeated: 30s, 5m. Else each is done once.',
    },
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json'],
      help: 'How to show it; else as text.',
    },
    ...clusterOptions,
  },
  examples: [
    { does: 'look at everything', line: 'agentctl doctor' },
    {
      does: 'wait for a release to work',
      line: 'agentctl doctor --http http://127.0.0.1:8080/readyz --grpc 127.0.0.1:50051 --crds --timeout 2m',
    },
  ],
  run: async ({ values }, world) => {
    const findings = asksForChecks(values)
      ? await examineAsked(values, world)
      : await examine(values, world)
    const { style } = world.stdout
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
    world.stdout.write(
      values.output === 'json'
        ? `${JSON.stringify(findings, undefined, 2)}\n`
        : `${findings.flatMap(lines).join('\n')}\n`,
    )
    if (world.stop.aborted) return exitCode.interrupted
    return findings.some(({ verdict }) => verdict === 'bad') ? exitCode.failed : exitCode.done
  },
})
