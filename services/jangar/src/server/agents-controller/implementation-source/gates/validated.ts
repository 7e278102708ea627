import { type GateOf, pass, stall } from '@agents/controller'
import type { ImplementationSource, implementationSourceConditions } from '@agents/jangar-api'
import { issueFields, mappedFields } from '../import/mapping.ts'
import { readQuery } from '../import/scope-query.ts'
import { wantsLists } from '../sync/is-listed.ts'
import { linearAddress } from '../sync/linear-address.ts'
import { templateProblem } from '../trigger/event-template.ts'
import { whenProblem } from '../trigger/trigger-when.ts'

type Spec = ImplementationSource['spec']
type ScopeField = keyof NonNullable<Spec['scope']>

/** The scope fields that the issues of each provider have. */
const scopeFields: Readonly<Record<Spec['provider'], readonly ScopeField[]>> = {
  github: ['organization', 'repository', 'labels', 'query'],
  gitlab: ['organization', 'repository', 'labels', 'query'],
  gitea: ['organization', 'repository', 'labels', 'query'],
  linear: ['team', 'project', 'labels', 'query'],
  generic: ['labels', 'query'],
}

export const validated: GateOf<
  typeof implementationSourceConditions,
  'Validated',
  ImplementationSource
> = {
  condition: 'Validated',
  check: ({ spec }) => {
    const { provider, webhook, scope = {}, mapping = {}, vcsRef } = spec
    const known: readonly string[] = scopeFields[provider]
    const unknown = Object.keys(scope).filter((field) => !known.includes(field))
    if (unknown.length > 0) {
      return stall(
        'UnsupportedScope',
        `spec.scope of provider ${provider} does not support ${unknown.join(', ')}; use ${known.join(', ')}`,
      )
    }
    const asked = readQuery(scope.query ?? '')
    if ('problem' in asked) return stall('UnsupportedScope', asked.problem)
    const wrong = mappingProblem(mapping)
    if (wrong !== undefined) return stall('UnsupportedMapping', wrong)
    const unfit = accessProblem(spec)
    if (unfit !== undefined) return stall('ProviderMismatch', unfit)
    const address = linearAddress(spec)
    if ('problem' in address) return stall('AddressInvalid', address.problem)
    if (vcsRef !== undefined && scope.repository === undefined) {
      return stall(
        'MissingRepository',
        'the issues of one repository are listed; set spec.scope.repository, or remove spec.vcsRef',
      )
    }
    if (webhook?.enabled !== true && !wantsLists(spec)) {
      return stall(
        'WebhookDisabled',
        `webhooks are disabled and no issues are listed; set spec.webhook.enabled to true${alternatives[provider] ?? ', or spec.vcsRef'}`,
      )
    }
    const lacking = triggerProblem(spec)
    if (lacking !== undefined) return stall('UnsupportedTrigger', lacking)
    const uncompiled = (spec.triggers ?? []).map(whenProblem).find((one) => one !== undefined)
    if (uncompiled !== undefined) return stall('ExpressionInvalid', uncompiled)
    const unfilled = (spec.triggers ?? []).map(templateProblem).find((one) => one !== undefined)
    if (unfilled !== undefined) return stall('TemplateInvalid', unfilled)
    return pass('Valid', 'the spec is valid')
  },
}

/** Linear has a key of its own, and the others the credential of a VersionControlProvider. */
function accessProblem({ provider, vcsRef, auth, apiBaseUrl }: Spec): string | undefined {
  if (provider === 'linear') {
    return vcsRef === undefined
      ? undefined
      : 'issues of Linear are listed with spec.auth.apiKeySecretRef; remove spec.vcsRef'
  }
  if (provider === 'generic' && vcsRef !== undefined) {
    return 'issues of generic cannot be listed; remove spec.vcsRef'
  }
  if (auth.apiKeySecretRef === undefined && apiBaseUrl === undefined) return undefined
  return 'spec.auth.apiKeySecretRef and spec.apiBaseUrl are for linear; use spec.vcsRef'
}

const alternatives: Readonly<Partial<Record<Spec['provider'], string>>> = {
  linear: ', or spec.auth.apiKeySecretRef',
  generic: '',
}

function triggerProblem({ triggers = [], provider, webhook, vcsRef }: Spec): string | undefined {
  if (triggers.length === 0) return undefined
  const unsaid = triggers.find(saysNothing)
  if (unsaid !== undefined) {
    return `spec.triggers[${unsaid.name}].template.spec.implementation.inline.text: required for the event Push, which has no issue that describes the task`
  }
  if (provider === 'gitlab' && triggers.some(({ event }) => event === 'ChangesRequested')) {
    return 'GitLab sends no webhook when a review requests changes; use the event Command'
  }
  const teamless = triggers.map((trigger) => teamProblem(provider, trigger))
  const unknownTeam = teamless.find((one) => one !== undefined)
  if (unknownTeam !== undefined) return unknownTeam
  if (webhook?.enabled !== true) return 'spec.triggers needs spec.webhook.enabled: true'
  if (provider === 'linear') return linearProblem(triggers)
  if (provider === 'generic') return genericProblem(triggers)
  if (vcsRef === undefined) {
    return 'spec.triggers needs spec.vcsRef, with which the permissions of users are read'
  }
  return undefined
}

type Trigger = NonNullable<Spec['triggers']>[number]

/** Nobody is a member of a team that cannot exist. */
function teamProblem(provider: Spec['provider'], { name, actors }: Trigger): string | undefined {
  const { teams = [] } = actors ?? {}
  if (teams.length === 0 || provider === 'gitlab') return undefined
  const at = `spec.triggers[${name}].actors.teams`
  if (provider === 'linear' || provider === 'generic') return `${at}: ${provider} has no teams`
  const wrong = teams.find((team) => team.split('/').length !== 2)
  return wrong === undefined ? undefined : `${at}: ${wrong} is not organization/team`
}

/** Whether the run of a push would have nothing to do. */
function saysNothing({ event, template }: NonNullable<Spec['triggers']>[number]): boolean {
  if (event !== 'Push' || template.kind === 'OrchestrationRun') return false
  const { implementation } = template.spec as {
    readonly implementation?: { readonly inline?: { readonly text?: unknown } }
  }
  const text = implementation?.inline?.text
  return typeof text !== 'string' || text.trim() === ''
}

const address = /^\S+@\S+$/

/** Everybody in a workspace of Linear may comment, and there are no permissions to ask for: users are named. */
function linearProblem(triggers: NonNullable<Spec['triggers']>): string | undefined {
  for (const { name, event, actors, assignee } of triggers) {
    const at = `spec.triggers[${name}]`
    if (event === 'ChangesRequested' || event === 'CheckFailed' || event === 'Push') {
      return `${at}: Linear has no repositories and no reviews of pull requests; use Command`
    }
    if (actors?.minimumPermission === 'admin') {
      return `${at}.actors.minimumPermission: Linear has no permissions in a repository`
    }
    const { users = [] } = actors ?? {}
    if (users.length === 0 || !users.every((one) => address.test(one))) {
      return `${at}.actors.users must name users of Linear by their email addresses`
    }
    if (assignee !== undefined && !address.test(assignee)) {
      return `${at}.assignee must name a user of Linear by the email address`
    }
  }
  return undefined
}

/** The sender vouches for the names of actors, and nobody can be asked for permissions: users are named. */
function genericProblem(triggers: NonNullable<Spec['triggers']>): string | undefined {
  for (const { name, event, actors } of triggers) {
    const at = `spec.triggers[${name}]`
    if (event !== 'Opened' && event !== 'Labelled') {
      return `${at}.event: generic has Opened and Labelled only`
    }
    if (actors?.minimumPermission === 'admin') {
      return `${at}.actors.minimumPermission: generic has no permissions in a repository`
    }
    if ((actors?.users ?? []).length === 0) return `${at}.actors.users must name users`
  }
  return undefined
}

function mappingProblem(mapping: Readonly<Record<string, string>>): string | undefined {
  const field = Object.keys(mapping).find((one) => !includes(mappedFields, one))
  if (field !== undefined) {
    return `spec.mapping has the unknown field ${field}; use ${mappedFields.join(', ')}`
  }
  const value = Object.values(mapping).find((one) => !includes(issueFields, one))
  if (value === undefined) return undefined
  return `spec.mapping names the unknown field ${value} of an issue; use ${issueFields.join(', ')}`
}

function includes(names: readonly string[], name: string): boolean {
  return names.includes(name)
}
