from connect.models.event_delivery import DeliveryState, EventDelivery

__all__ = ["DeliveryState", "EventDelivery"]
