import type { Tool, ToolRun } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { renderTemplate } from '../../../run-contract/templates/render-template.ts'
import { credentialProblem } from '../../agents-controller/version-control-provider/credential-problem.ts'
import { limitsOf } from '../../jobs/runtime-ref.ts'
import { defaultStartTimeoutSeconds } from '../../jobs/task-state.ts'
import { largestWord, tooLargeWord } from '../../jobs/word-size.ts'
import { type DependencyProblem, findNamed, keyMissing } from '../../kubernetes/dependency.ts'
import { imageProblem } from '../../primitives-policy/images.ts'
import { labelProblem } from '../../primitives-policy/labels.ts'
import { secretBindingRule } from '../../primitives-policy/secret-bindings.ts'
import { blockedSecretProblem } from '../../primitives-policy/secrets.ts'
import {
  type AccountRules,
  accountProblem,
  effectiveAccount,
} from '../../primitives-policy/service-accounts.ts'
import { toolProblem } from '../../supporting-primitives-controller/tool/tool-problem.ts'
import { runFacts, toolFacts } from '../../supporting-primitives-controller/tool/tool-templates.ts'
import { parameterVariable } from '../../supporting-primitives-controller/tool/tool-variables.ts'
import { duplicateDelivery } from './duplicate-delivery.ts'
import { toolParameters } from './tool-parameters.ts'
import {
  refused,
  specOf,
  type ToolResolution,
  type ToolResolutionPorts,
  type ToolRunRefused,
  type ToolWork,
} from './tool-resolution.ts'

/** Finds the tool of the run and fills in its templates, or reports what prevents the run for now, or for ever. */
export function resolveToolRun(run: ToolRun, ports: ToolResolutionPorts): ToolResolution {
  const { namespace, labels = {} } = run.metadata
  const { toolRef, parameters = {} } = specOf(run)
  const rules = ports.config.agents.admission
  if (!toolRef?.name) return refused('MissingToolRef', 'spec.toolRef.name is missing; set it')
  const label = labelProblem(labels, rules)
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
  const { agents } = ports.config
  const { image = '', serviceAccount, automountServiceAccountToken } = tool.spec
  const accounts = accountRules(ports)
  const problem =
    imageProblem(image, agents.admission, `spec.image of Tool ${name}`) ??
    accountProblem(
      {
        namespace,
        name: serviceAccount,
        mountToken: automountServiceAccountToken ?? false,
        field: `spec.serviceAccount of Tool ${name}`,
      },
      accounts,
    )
  if (problem !== undefined) return refused(problem.reason, problem.message)
  const bindingRule = secretBindingRule(
    {
      namespace,
      subjects: [
        { kind: 'ToolRun', name: run.metadata.name },
        { kind: 'Tool', name },
        { kind: 'ServiceAccount', name: effectiveAccount({ name: serviceAccount }, accounts) },
        { kind: 'Namespace', name: namespace ?? '' },
      ],
    },
    {
      secretBindings: ports.caches.secretBindings,
      isRequired: agents.admission.secretBindingRequired,
    },
  )
  const { blockedSecrets, platformSecrets } = agents.admission
  for (const { name: secretName } of secretKeysOf(tool)) {
    const secret = ports.caches.secrets.get(formatKey({ namespace, name: secretName }))
    const use = { name: secretName, purpose: `which Tool ${name} refers to`, secret }
    const blocked =
      blockedSecretProblem(use, { blockedSecrets, platformSecrets, accounts }) ??
      credentialProblem(
        { ...use, namespace, usedBy: 'tools' },
        ports.caches.versionControlProviders,
      ) ??
      bindingRule?.(use)
    if (blocked !== undefined) return refused(blocked.reason, blocked.message)
  }
  return undefined
}

function accountRules({ config, isPlatformAccount }: ToolResolutionPorts): AccountRules {
  return {
    allowed: config.agents.admission.serviceAccountsAllowed,
    platformDefault: config.runner.serviceAccount,
    isPlatformAccount,
  }
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

/** The run takes precedence over its tool. */
function settingsOf(run: ToolRun, { spec }: Tool): Pick<ToolWork, 'decided' | 'limits'> {
  const own = specOf(run)
  const { ttlSecondsAfterFinished: jobTtlSeconds } = spec
  const limits = limitsOf(
    {
      retries: own.retries ?? spec.retries ?? 0,
      retryBackoffSeconds: own.retryBackoffSeconds ?? spec.retryBackoffSeconds ?? 0,
      startTimeoutSeconds: spec.startTimeoutSeconds ?? defaultStartTimeoutSeconds,
    },
    // Attempts have no time limit of their own: that of the run covers them.
    0,
  )
  const runTimeoutSeconds = own.timeoutSeconds ?? spec.timeoutSeconds ?? 0
  return {
    decided: { runTimeoutSeconds, ...(jobTtlSeconds !== undefined && { jobTtlSeconds }) },
    limits,
  }
}
