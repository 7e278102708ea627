import { type AdmissionPolicy, celDecides, type PolicyValidation, writesOf } from '@agents/crd'
import { agent } from '../agents/agent/kind.ts'
import { mostMcpSecrets } from '../agents/agent/mcp-servers.ts'
import { agentSecrets } from './secret-access.ts'

function secretsIn(field: 'env' | 'headers'): string {
  return `(has(one.${field}) ? one.${field}.filter(each, has(each.valueFrom)).map(each, each.valueFrom.secretKeyRef.name) : [])`
}

/** The names of all Secrets of the servers; lists in lists have to be joined as text. */
function secretsOf(root: string): string {
  const servers = `${root}.spec.mcpServers`
  return `(has(${root}.spec) && has(${servers}) ? ${servers}.map(one, (${secretsIn('env')} + ${secretsIn('headers')}).join(',')).join(',').split(',').filter(name, name != '') : [])`
}

function mayGet(name: string): string {
  return `authorizer.group('').resource('secrets').namespace(request.namespace).name(${name}).check('get').allowed()`
}

function mayGetListed(list: 'secrets' | 'before', at: number): PolicyValidation {
  const name = `variables.${list}[${at}]`
  // A Secret that is still named is checked as such.
  const isKept = list === 'before' ? ` || ${name} in variables.secrets` : ''
  const when = list === 'before' ? "', which they named before'" : "''"
  return {
    expression: `!variables.decides || size(variables.${list}) <= ${at}${isKept} || ${mayGet(name)}`,
    message: 'spec.mcpServers: you may not get a Secret that they name',
    messageExpression: `'spec.mcpServers: ' + request.userInfo.username + ' may not get the Secret ' + ${name} + ' in the namespace ' + request.namespace + ${when} + '; grant the user get on that Secret, or have a user with that right make this change'`,
    reason: 'Forbidden',
  }
}

const places = Array.from({ length: mostMcpSecrets }, (_, at) => at)

/** A policy of its own, beside that of the other Secrets of an Agent, because the cost of a policy is limited. */
export const mcpSecretsPolicy: AdmissionPolicy = {
  name: `${agent.plural}-mcp-servers.${agent.group}`,
  description:
    'A user who names a Secret in the mcpServers of an Agent, replaces it, or changes where its content is sent must be allowed to get that Secret.',
  appliesTo: 'everywhere',
  kind: 'ValidatingAdmissionPolicy',
  spec: {
    failurePolicy: 'Fail',
    matchConstraints: writesOf([agent]),
    variables: [
      { name: 'decides', expression: celDecides(agentSecrets.decisive) },
      { name: 'secrets', expression: secretsOf('object') },
      {
        name: 'before',
        expression: `request.operation == 'UPDATE' ? ${secretsOf('oldObject')} : []`,
      },
    ],
    validations: [
      ...places.map((at) => mayGetListed('secrets', at)),
      ...places.map((at) => mayGetListed('before', at)),
    ],
  },
}
