import type { Description } from './github-description.ts'

// The operations that the platform uses, as Bitbucket documents them, with answers in the documented shapes.

const workspace = 'my-workspace/my-repository'
const uuid = '{504c3b62-8120-4f0c-a7bc-87800b9d6f70}'
const html = { html: { href: `https://bitbucket.org/${workspace}/pull-requests/7` } }
const user = { type: 'user', uuid, nickname: 'evzijst', display_name: 'Erik' }

function end(branch: string) {
  return {
    branch: { name: branch },
    commit: { type: 'commit', hash: 'd3022fc0ca3d' },
    repository: { type: 'repository', full_name: workspace, uuid },
  }
}

export const bitbucketPull = {
  ...{ type: 'pullrequest', id: 7, title: 'My Title', description: 'Why', state: 'OPEN' },
  ...{ draft: false, queued: false, comment_count: 0, task_count: 0, close_source_branch: false },
  ...{ source: end('my-feature-branch'), destination: end('main'), author: user, links: html },
  reviewers: [user],
  participants: [
    { type: 'participant', user, role: 'REVIEWER', approved: true, state: 'approved' },
    { type: 'participant', user, role: 'PARTICIPANT', approved: false, state: null },
  ],
}

const comment = { type: 'pullrequest_comment', id: 3, content: { raw: 'Me too' }, user }
const status = {
  ...{ type: 'build', key: 'build', state: 'SUCCESSFUL', url: 'https://ci.test/1', uuid },
}

const text = { type: 'string' }
const paging = [
  { name: 'pagelen', in: 'query', schema: { type: 'integer', maximum: 100 } },
  { name: 'page', in: 'query', schema: { type: 'integer' } },
]
const branch = {
  type: 'object',
  required: ['branch'],
  properties: { branch: { type: 'object', required: ['name'], properties: { name: text } } },
}
const pullRequest = {
  type: 'object',
  properties: {
    ...{ title: text, description: text, draft: { type: 'boolean' } },
    ...{ source: branch, destination: branch, close_source_branch: { type: 'boolean' } },
    reviewers: {
      type: 'array',
      items: { type: 'object', required: ['uuid'], properties: { uuid: text } },
    },
  },
}
const commentBody = {
  type: 'object',
  required: ['content'],
  properties: {
    content: { type: 'object', required: ['raw'], properties: { raw: text } },
    inline: { type: 'object' },
  },
}
const buildStatus = {
  type: 'object',
  required: ['key', 'state'],
  properties: {
    key: { type: 'string', maxLength: 40 },
    state: { enum: ['INPROGRESS', 'SUCCESSFUL', 'FAILED', 'STOPPED'] },
    ...{ name: text, description: text, url: { type: 'string', pattern: '^https?://' } },
  },
}

function answers(code: string, value: unknown) {
  return { [code]: { content: { 'application/json': { examples: { documented: { value } } } } } }
}

function takes(schema: object) {
  return { content: { 'application/json': { schema } } }
}

function page(...values: readonly unknown[]) {
  return { size: values.length, page: 1, pagelen: 50, values }
}

const repository = '/repositories/{workspace}/{repo_slug}'
const pulls = `${repository}/pullrequests`
const pull = `${pulls}/{pull_request_id}`

export const bitbucketDescription: Description = {
  components: {},
  paths: {
    [repository]: {
      get: {
        operationId: 'getARepository',
        responses: answers('200', {
          ...{ type: 'repository', full_name: workspace, uuid },
          mainbranch: { type: 'branch', name: 'main' },
        }),
      },
    },
    [pulls]: {
      get: {
        operationId: 'listPullRequests',
        parameters: [
          ...paging,
          { name: 'q', in: 'query', schema: text },
          {
            ...{ name: 'state', in: 'query' },
            schema: { enum: ['OPEN', 'MERGED', 'DECLINED', 'SUPERSEDED'] },
          },
        ],
        responses: answers('200', page(bitbucketPull)),
      },
      post: {
        operationId: 'createAPullRequest',
        requestBody: takes({ ...pullRequest, required: ['title', 'source'] }),
        responses: answers('201', bitbucketPull),
      },
    },
    [pull]: {
      get: { operationId: 'getAPullRequest', responses: answers('200', bitbucketPull) },
      put: {
        operationId: 'updateAPullRequest',
        requestBody: takes(pullRequest),
        responses: answers('200', bitbucketPull),
      },
    },
    [`${pull}/statuses`]: {
      get: {
        operationId: 'listCommitStatusesForAPullRequest',
        parameters: paging,
        responses: answers('200', page(status)),
      },
    },
    [`${pull}/comments`]: {
      get: {
        operationId: 'listCommentsOnAPullRequest',
        parameters: paging,
        responses: answers('200', page(comment)),
      },
      post: {
        operationId: 'createACommentOnAPullRequest',
        requestBody: takes(commentBody),
        responses: answers('201', comment),
      },
    },
    [`${pull}/comments/{comment_id}`]: {
      put: {
        operationId: 'updateACommentOnAPullRequest',
        requestBody: takes(commentBody),
        responses: answers('200', comment),
      },
    },
    [`${repository}/commit/{commit}/statuses/build`]: {
      post: {
        operationId: 'createABuildStatusForACommit',
        requestBody: takes(buildStatus),
        responses: answers('201', status),
      },
    },
  },
}
