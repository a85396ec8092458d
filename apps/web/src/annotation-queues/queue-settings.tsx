import { useState } from 'react';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { Confirm } from '../ui/confirm.js';
import { Problem } from '../ui/parts.js';
import { AddCalls } from './add-calls.js';
import { QueueForm } from './queue-form.js';
import { changeQueue, deleteQueue, refreshQueue, type QueueRequest } from './queue-changes.js';
import type { Queue } from './queues-api.js';

interface QueueSettingsProps {
  readonly projectId: string;
  readonly queue: Queue;
}

/** What a writer can do with a queue: add calls, change it and delete it. */
export function QueueSettings({ projectId, queue }: QueueSettingsProps) {
  const [isDeleting, setIsDeleting] = useState(false);
  const queries = useQueryClient();
  const navigate = useNavigate();
  const [entity = '', project = ''] = projectId.split('/');
  const refresh = () => refreshQueue(queries, projectId, queue.id);
  const change = useMutation({
    mutationFn: (request: QueueRequest) => changeQueue(projectId, queue.id, request),
    onSuccess: refresh,
  });
  const remove = useMutation({
    mutationFn: () => deleteQueue(projectId, queue.id),
    onSuccess: async () => {
      await navigate({ to: '/$entity/$project/weave/annotations', params: { entity, project } });
      await refresh();
    },
  });
  const problem = change.error ?? remove.error;
  return (
    <>
      <details>
        <summary>Add calls</summary>
        <AddCalls projectId={projectId} queueId={queue.id} />
      </details>
      <details>
        <summary>Change the queue</summary>
        <QueueForm
          projectId={projectId}
          queue={queue}
          isBusy={change.isPending}
          onSubmit={change.mutate}
        />
        <p role="status">{change.isSuccess && 'Saved.'}</p>
        <button type="button" onClick={() => setIsDeleting(true)}>
          Delete the queue
        </button>
      </details>
      {problem !== null && <Problem error={problem} />}
      {isDeleting && (
        <Confirm
          label="Delete a queue"
          action="Delete"
          onConfirm={() => remove.mutate()}
          onClose={() => setIsDeleting(false)}
        >
          Delete the queue {queue.name} and its items? Annotations of calls stay.
        </Confirm>
      )}
    </>
  );
}
