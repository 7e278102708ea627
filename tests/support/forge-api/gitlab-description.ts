import type { Description } from './github-description.ts'

// The operations that the platform uses, as GitLab documents them, with answers in the documented shapes.

const author = { id: 1, username: 'admin', name: 'Administrator', state: 'active' }
const pipeline = { id: 2, sha: '8888888888', source: 'push', status: 'success' }
const mergeRequest = {
  ...{ id: 1, iid: 7, project_id: 3, title: 'test1', description: 'fixed login page' },
  ...{ state: 'opened', target_branch: 'main', source_branch: 'test1', source_project_id: 3 },
  ...{ target_project_id: 3, labels: ['documentation'], draft: false, sha: '8888888888' },
  ...{ web_url: 'http://gitlab.example.com/my-group/my-project/-/merge_requests/7', author },
  ...{ detailed_merge_status: 'mergeable', head_pipeline: pipeline },
}
const note = { id: 302, body: 'closed', author, system: false, noteable_iid: 5 }
const issue = {
  ...{ id: 41, iid: 5, project_id: 3, state: 'opened', title: 'Ut commodi', description: 'x' },
  ...{ labels: ['agent'], author, updated_at: '2016-01-04T15:31:46.176Z' },
  web_url: 'http://gitlab.example.com/my-group/my-project/-/issues/5',
}

const text = { type: 'string' }
const whole = { type: 'integer' }
const flag = { type: 'boolean' }
const order = { enum: ['asc', 'desc'] }
const title = { type: 'string', minLength: 1, maxLength: 255 }

function answers(code: string, value: unknown) {
  return { [code]: { content: { 'application/json': { examples: { documented: { value } } } } } }
}

function takes(properties: object, ...required: readonly string[]) {
  return { content: { 'application/json': { schema: { type: 'object', required, properties } } } }
}

function queries(schemas: Readonly<Record<string, object>>) {
  return Object.entries(schemas).map(([name, schema]) => ({ name, in: 'query', schema }))
}

const perPage = { type: 'integer', minimum: 1, maximum: 100 }
const project = '/projects/{id}'
const mergeRequests = `${project}/merge_requests`
const one = `${mergeRequests}/{merge_request_iid}`

function notes(subject: string, kind: string): Description['paths'] {
  return {
    [`${subject}/notes`]: {
      get: {
        operationId: `list ${kind} notes`,
        parameters: queries({ sort: order, order_by: text, per_page: perPage }),
        responses: answers('200', [note]),
      },
      post: {
        operationId: `create ${kind} note`,
        requestBody: takes({ body: { type: 'string', maxLength: 1_000_000 } }, 'body'),
        responses: answers('201', note),
      },
    },
    [`${subject}/notes/{note_id}`]: {
      put: {
        operationId: `modify ${kind} note`,
        requestBody: takes({ body: { type: 'string', maxLength: 1_000_000 } }, 'body'),
        responses: answers('200', note),
      },
    },
  }
}

export const gitlabDescription: Description = {
  components: {},
  paths: {
    [project]: {
      get: {
        operationId: 'retrieve a project',
        responses: answers('200', {
          ...{ id: 3, path_with_namespace: 'g/p', default_branch: 'main' },
          only_allow_merge_if_pipeline_succeeds: true,
        }),
      },
    },
    [mergeRequests]: {
      get: {
        operationId: 'list merge requests',
        parameters: queries({
          source_branch: text,
          state: { enum: ['all', 'opened', 'closed', 'locked', 'merged'] },
          per_page: perPage,
        }),
        responses: answers('200', [mergeRequest]),
      },
      post: {
        operationId: 'create MR',
        requestBody: takes(
          { source_branch: text, target_branch: text, title, description: text },
          ...['source_branch', 'target_branch', 'title'],
        ),
        responses: answers('201', mergeRequest),
      },
    },
    [one]: {
      get: { operationId: 'get single MR', responses: answers('200', mergeRequest) },
      put: {
        operationId: 'update MR',
        requestBody: takes({
          ...{ title, description: text, add_labels: text },
          reviewer_ids: { type: 'array', items: whole },
        }),
        responses: answers('200', mergeRequest),
      },
    },
    [`${one}/merge`]: {
      put: {
        operationId: 'merge a merge request',
        requestBody: takes({ auto_merge: flag, merge_when_pipeline_succeeds: flag, sha: text }),
        responses: answers('200', mergeRequest),
      },
    },
    [`${one}/approvals`]: {
      get: {
        operationId: 'get approvals',
        responses: answers('200', { approved: true, approved_by: [{ user: author }] }),
      },
    },
    ...notes(one, 'merge request'),
    ...notes(`${project}/issues/{issue_iid}`, 'issue'),
    '/users': {
      get: {
        operationId: 'list users',
        parameters: queries({ username: text }),
        responses: answers('200', [author]),
      },
    },
    [`${project}/statuses/{sha}`]: {
      post: {
        operationId: 'set commit status',
        requestBody: takes(
          {
            ...{ name: text, description: { type: 'string', maxLength: 255 }, target_url: text },
            state: { enum: ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] },
          },
          'state',
        ),
        responses: answers('201', { id: 93, status: 'success', sha: '8888888888' }),
      },
    },
    [`${project}/issues`]: {
      get: {
        operationId: 'list project issues',
        parameters: queries({
          ...{ labels: text, order_by: { enum: ['created_at', 'updated_at'] }, sort: order },
          state: { enum: ['opened', 'closed', 'all'] },
          ...{ updated_after: text, per_page: perPage, confidential: flag },
        }),
        responses: answers('200', [issue]),
      },
    },
    [`${project}/issues/{issue_iid}`]: {
      get: { operationId: 'single project issue', responses: answers('200', issue) },
    },
    '/groups/{id}/members/all/{user_id}': {
      get: {
        operationId: 'get group member',
        responses: answers('200', { ...author, access_level: 30, membership_state: 'active' }),
      },
    },
    '/user': {
      get: { operationId: 'get the current user', responses: answers('200', author) },
    },
    [`${project}/members/all/{user_id}`]: {
      get: {
        operationId: 'get a member, including inherited',
        responses: answers('200', { ...author, access_level: 30, membership_state: 'active' }),
      },
    },
  },
}
