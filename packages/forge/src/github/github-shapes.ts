import type { Comment, Issue, Permission, PullRequest, User } from '../forge.ts'
import { Fields, garbled } from '../reading/fields.ts'

// GitHub and Gitea describe the same shapes.

export function readPullRequest(fields: Fields): PullRequest {
  const head = fields.object('head')
  // A list of GitHub has `merged_at` only, a single one has `merged`, too.
  const isMerged = fields.flag('merged') || fields.textOrEmpty('merged_at') !== ''
  return {
    number: fields.whole('number'),
    url: fields.webUrl('html_url'),
    state: isMerged ? 'merged' : openOrClosed(fields.text('state')),
    draft: fields.flag('draft'),
    title: fields.text('title'),
    body: fields.textOrEmpty('body'),
    head: head.text('ref'),
    base: fields.object('base').text('ref'),
    commit: head.text('sha'),
  }
}

function openOrClosed(text: string): 'open' | 'closed' {
  if (text !== 'open' && text !== 'closed') throw garbled('state')
  return text
}

export function readComment(fields: Fields): Comment {
  return {
    id: fields.whole('id'),
    author: fields.objectIfAny('user')?.text('login') ?? '',
    body: fields.textOrEmpty('body'),
  }
}

export function readIssue(fields: Fields): Issue {
  return {
    number: fields.whole('number'),
    url: fields.webUrl('html_url'),
    state: openOrClosed(fields.text('state')),
    title: fields.text('title'),
    body: fields.textOrEmpty('body'),
    labels: fields.list('labels').map(labelName),
    author: fields.objectIfAny('user')?.text('login') ?? '',
    updatedAt: fields.text('updated_at'),
  }
}

function labelName(label: unknown): string {
  return typeof label === 'string' ? label : new Fields(label).text('name')
}

export function readUser(fields: Fields): User {
  return { name: fields.text('login'), id: fields.whole('id') }
}

/** `owner` is Gitea's. */
const permissions: Readonly<Record<string, Permission>> = {
  none: 'none',
  read: 'read',
  write: 'write',
  admin: 'admin',
  owner: 'admin',
}

export function readPermission(fields: Fields, { id }: User): Permission {
  if (id !== undefined && fields.objectIfAny('user')?.whole('id') !== id) return 'none'
  const name = fields.text('permission')
  return (Object.hasOwn(permissions, name) ? permissions[name] : undefined) ?? 'none'
}
