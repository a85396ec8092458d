import { Body, Controller } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  AgentConversationChatRequest,
  AgentConversationChatResponse,
  AgentConversationSpansRequest,
  AgentConversationSpansResponse,
  AgentSearchRequest,
  AgentSearchResponse,
  AgentsQueryRequest,
  AgentsQueryResponse,
  AgentTraceChatRequest,
  AgentTraceChatResponse,
  AgentVersionsRequest,
  AgentVersionsResponse,
} from '@app/contracts';
import { JsonResponse, Operation } from '@app/http';
import { ReadAuthorizer } from '../read-authorizer.js';
import { CurrentRead, type IncomingRead } from '../read-context.js';
import { AgentsReader } from './agents.reader.js';
import { ConversationsReader } from './conversations.reader.js';

@ApiTags('agents')
@Controller('agents')
export class AgentsController {
  constructor(
    private readonly authorizer: ReadAuthorizer,
    private readonly agents: AgentsReader,
    private readonly conversations: ConversationsReader,
  ) {}

  @Operation('query', {
    needs: 'read',
    summary: 'List the agents of a project',
    body: AgentsQueryRequest,
    response: AgentsQueryResponse,
  })
  async query(
    @Body() body: AgentsQueryRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return new JsonResponse(await this.agents.agents(body, context));
  }

  @Operation('agent-versions/query', {
    needs: 'read',
    summary: 'List the versions of an agent',
    body: AgentVersionsRequest,
    response: AgentVersionsResponse,
  })
  async versions(
    @Body() body: AgentVersionsRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return new JsonResponse(await this.agents.versions(body, context));
  }

  @Operation('traces/chat', {
    needs: 'read',
    summary: 'Read one turn as a chat',
    body: AgentTraceChatRequest,
    response: AgentTraceChatResponse,
  })
  async turn(
    @Body() body: AgentTraceChatRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return new JsonResponse(await this.conversations.traceChat(body, context));
  }

  @Operation('conversations/chat', {
    needs: 'read',
    summary: 'Read a conversation as a chat, turn by turn',
    body: AgentConversationChatRequest,
    response: AgentConversationChatResponse,
  })
  async chat(
    @Body() body: AgentConversationChatRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<JsonResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return new JsonResponse(await this.conversations.chat(body, context));
  }

  @Operation('conversations/spans', {
    needs: 'read',
    summary: 'Read the spans of conversations, without their messages',
    body: AgentConversationSpansRequest,
    response: AgentConversationSpansResponse,
  })
  async spans(
    @Body() body: AgentConversationSpansRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<AgentConversationSpansResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.conversations.sequences(body, context);
  }

  @Operation('search', {
    needs: 'read',
    summary: 'Search the messages of agents',
    body: AgentSearchRequest,
    response: AgentSearchResponse,
  })
  async search(
    @Body() body: AgentSearchRequest,
    @CurrentRead() read: IncomingRead,
  ): Promise<AgentSearchResponse> {
    const context = await this.authorizer.authorizeRead(read, body.project_id);
    return this.conversations.search(body, context);
  }
}
