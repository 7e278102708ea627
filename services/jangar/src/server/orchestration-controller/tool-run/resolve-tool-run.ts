import type { Tool, ToolRun } from '@agents/jangar-api'
import { renderTemplate } from '../../../run-contract/templates/render-template.ts'
import { largestWord, tooLargeWord } from '../../jobs/word-size.ts'
import { type DependencyProblem, findNamed, keyMissing } from '../../kubernetes/dependency.ts'
import { imageProblem } from '../../primitives-policy/images.ts'
import { labelProblem } from '../../primitives-policy/labels.ts'
import { accountProblem } from '../../primitives-policy/service-accounts.ts'
import { toolProblem } from '../../supporting-primitives-controller/tool/tool-problem.ts'
import { runFacts, toolFacts } from '../../supporting-primitives-controller/tool/tool-templates.ts'
import { parameterVariable } from '../../supporting-primitives-controller/tool/tool-variables.ts'
import { duplicateDelivery } from './duplicate-delivery.ts'
import { resolveMemoryOperation } from './memory-operation.ts'
import { toolParameters } from './tool-parameters.ts'
import {
  refused,
  specOf,
  type ToolResolution,
  type ToolResolutionPorts,
  type ToolRunRefused,
  type ToolWork,
} from './tool-resolution.ts'
import { accountRules, secretsProblem } from './tool-secrets.ts'
import { settingsOf } from './tool-settings.ts'

/** Finds the tool of the run and fills in its templates, or reports what prevents the run for now, or for ever. */
export function resolveToolRun(run: ToolRun, ports: ToolResolutionPorts): ToolResolution {
  const { namespace, labels = {} } = run.metadata
  const { toolRef, memory, parameters = {} } = specOf(run)
  const rules = ports.config.agents.admission
  const label = labelProblem(labels, rules)
  if (memory !== undefined && label === undefined) return resolveMemoryOperation(run, memory, ports)
  if (!toolRef?.name) return refused('MissingToolRef', 'spec.toolRef.name is missing; set it')
  if (label !== undefined) return refused(label.reason, label.message)
  const found = findNamed(ports.caches.tools, { namespace, name: toolRef.name }, 'the run')
  if (found.kind !== 'found') return found
  const tool = found.value
  // The status may be that of an earlier spec, or of no controller.
  const problem = toolProblem(tool)
  if (problem !== undefined) return notReady(tool, problem.message)
  const given = toolParameters(tool, parameters)
  if ('reason' in given) return refused(given.reason, given.message)
  const refusal = policyProblem(run, tool, ports) ?? duplicateDelivery(run, ports)
  if (refusal !== undefined) return refusal
  const missing = missingSecret(tool, ports)
  if (missing !== undefined) return missing
  return filled(run, tool, given.values, ports)
}

function notReady({ metadata }: Tool, why: string): DependencyProblem {
  const message = `Tool ${metadata.name} is not ready: ${why}`
  return { kind: 'waiting', reason: 'DependencyNotReady', message }
}

/** Whoever may write a Tool must not reach more with it than with an AgentRun. */
function policyProblem(
  run: ToolRun,
  tool: Tool,
  ports: ToolResolutionPorts,
): ToolRunRefused | undefined {
  const { namespace, name } = tool.metadata
  const { image = '', serviceAccount, automountServiceAccountToken } = tool.spec
  const problem =
    imageProblem(image, ports.config.agents.admission, `spec.image of Tool ${name}`) ??
    accountProblem(
      {
        namespace,
        name: serviceAccount,
        mountToken: automountServiceAccountToken ?? false,
        field: `spec.serviceAccount of Tool ${name}`,
      },
      accountRules(ports),
    )
  if (problem !== undefined) return refused(problem.reason, problem.message)
  return secretsProblem(
    {
      run,
      subjects: [{ kind: 'Tool', name }],
      serviceAccount,
      secrets: secretKeysOf(tool).map((key) => key.name),
      purpose: `which Tool ${name} refers to`,
    },
    ports,
  )
}

function secretKeysOf({ spec: { env = [] } }: Tool) {
  return env.flatMap(({ valueFrom }) => valueFrom?.secretKeyRef ?? [])
}

function missingSecret(tool: Tool, ports: ToolResolutionPorts): DependencyProblem | undefined {
  const { namespace, name: toolName } = tool.metadata
  for (const { name, key } of secretKeysOf(tool)) {
    const reference = { kind: 'Secret', name, key } as const
    const missing = keyMissing(ports, namespace, reference, `Tool ${toolName}`)
    if (missing !== undefined) return missing
  }
  return undefined
}

function filled(
  run: ToolRun,
  tool: Tool,
  parameters: Readonly<Record<string, string>>,
  { config }: ToolResolutionPorts,
): ToolResolution {
  const { spec } = tool
  const context = { parameters, tool: toolFacts(tool.metadata), toolRun: runFacts(run.metadata) }
  const problems: string[] = []
  const fill = (at: string, template: string): string => {
    const rendered = renderTemplate(template, context)
    if (rendered.ok) return rendered.text
    problems.push(...rendered.problems.map(({ message }) => `${at}: ${message}`))
    return ''
  }
  const command = (spec.command ?? []).map((text, at) => fill(`spec.command[${at}]`, text))
  const args = (spec.args ?? []).map((text, at) => fill(`spec.args[${at}]`, text))
  const own = (spec.env ?? []).flatMap(({ name, value }, at) =>
    value === undefined ? [] : [[name, fill(`spec.env[${at}].value`, value)] as const],
  )
  if (problems.length > 0) {
    return refused('InvalidTemplate', `Tool ${tool.metadata.name}: ${problems.join('; ')}`)
  }
  const given = Object.entries(parameters).map(
    ([name, value]) => [parameterVariable(name), value] as const,
  )
  const values = [...own, ...given]
  return (
    wordProblem(tool, { command, args, values }) ?? {
      kind: 'resolved',
      work: {
        tool,
        image: spec.image ?? '',
        command,
        args,
        values,
        serviceAccount: spec.serviceAccount ?? config.runner.serviceAccount,
        ...settingsOf(run, tool),
      },
    }
  )
}

function wordProblem(
  { metadata }: Tool,
  { command, args, values }: Pick<ToolWork, 'command' | 'args' | 'values'>,
): ToolRunRefused | undefined {
  const all = [...command, ...args, ...values.map(([name, value]) => `${name}=${value}`)]
  if (all.some((word) => word.includes('\0'))) {
    return refused('InvalidParameters', 'a parameter contains a NUL character; remove it')
  }
  const large = tooLargeWord([
    ...command.map((word, at) => [`spec.command[${at}]`, word] as const),
    ...args.map((word, at) => [`spec.args[${at}]`, word] as const),
    ...values.map(([name, value]) => [name, `${name}=${value}`] as const),
  ])
  if (large === undefined) return undefined
  return refused(
    'WorkTooLarge',
    `${large} of Tool ${metadata.name} has more than ${largestWord} bytes after rendering, the limit for arguments and variables`,
  )
}
