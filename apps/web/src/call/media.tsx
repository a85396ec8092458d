import { useEffect, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import { send } from '../api/client.js';
import { formatBytes } from '../format.js';
import { saveFile } from '../ui/save-file.js';
import { fileType } from './media-types.js';
import css from './media.module.css';

interface EmbeddedMediaProps {
  readonly type: string;
  readonly read: () => Promise<string>;
}

/** An image, sound or video inside a payload. It is read when the user wants to see it. */
export function EmbeddedMedia({ type, read }: EmbeddedMediaProps) {
  const [url, setUrl] = useState<string | undefined>();
  if (url !== undefined) return <Shown type={type} url={url} name={type} />;
  return (
    <button type="button" onClick={() => void read().then(setUrl)}>
      Show {type}
    </button>
  );
}

interface FilesProps {
  readonly projectId: string;
  /** Name → digest. */
  readonly files: Readonly<Record<string, string>>;
}

/** Files that an SDK has stored beside a call. */
export function Files({ projectId, files }: FilesProps) {
  return (
    <span className={css.files}>
      {Object.entries(files).map(([name, digest]) => (
        <StoredFile key={name} projectId={projectId} name={name} digest={digest} />
      ))}
    </span>
  );
}

const fileQuery = (projectId: string, digest: string) => ({
  queryKey: ['file', projectId, digest],
  staleTime: Infinity,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Blob> => {
    const body = { project_id: projectId, digest };
    return (await send('/file/content', { body, signal })).blob();
  },
});

interface StoredFileProps {
  readonly projectId: string;
  readonly name: string;
  readonly digest: string;
}

function StoredFile({ projectId, name, digest }: StoredFileProps) {
  const type = fileType(name);
  const { data } = useQuery({ ...fileQuery(projectId, digest), enabled: type !== undefined });
  const url = useObjectUrl(data, type);
  if (type !== undefined && url !== undefined) return <Shown type={type} url={url} name={name} />;
  const save = async () => {
    const body = { project_id: projectId, digest };
    saveFile(name, await (await send('/file/content', { body })).blob());
  };
  return (
    <button type="button" onClick={() => void save()}>
      Download {name} {data && formatBytes(data.size)}
    </button>
  );
}

/** The type is ours, so that the browser never takes a file for a page. */
function useObjectUrl(content: Blob | undefined, type: string | undefined): string | undefined {
  const [url, setUrl] = useState<string | undefined>();
  useEffect(() => {
    if (content === undefined || type === undefined) return;
    const made = URL.createObjectURL(new Blob([content], { type }));
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [content, type]);
  return url;
}

interface ShownProps {
  readonly type: string;
  readonly url: string;
  readonly name: string;
}

function Shown({ type, url, name }: ShownProps) {
  if (type.startsWith('image/')) return <img src={url} alt={name} className={css.image} />;
  if (type.startsWith('audio/')) return <audio src={url} controls aria-label={name} />;
  return <video src={url} controls aria-label={name} className={css.image} />;
}
